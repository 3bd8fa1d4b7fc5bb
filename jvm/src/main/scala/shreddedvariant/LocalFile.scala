/**
 * Puts a file on a local disk: whole or not at all, and over another one only where that is meant.
 *
 * Hadoop's local rename first looks whether the target is there, and then replaces it: of two processes that create one
 * file, both would succeed. A link is made by the system in one step, or not at all if the name is taken.
 *
 * The bytes are on the disk before their name is, and the name is when this returns: after a crash of the process or of
 * the machine there is the file that was there before, or the new one.
 */
package shreddedvariant

import java.io.IOException
import java.nio.channels.FileChannel
import java.nio.file.{FileAlreadyExistsException, Files, NoSuchFileException, Path => File}
import java.nio.file.StandardCopyOption.ATOMIC_MOVE
import java.nio.file.StandardOpenOption.{CREATE, READ, WRITE}
import java.util.{Arrays, UUID}

import scala.util.Using

object LocalFile {

  /** Has `write` fill a file beside `target`, then gives it that name. Raises if the name is taken and `replace` is false. */
  def put(target: File, replace: Boolean)(write: File => Unit): Unit =
    written(target, write)(file => if (replace) move(file, target) else link(target, file))

  /** Replaces a file that still holds these bytes when the new ones are on the disk; false if it does not. */
  def replace(target: File, expected: Array[Byte])(write: File => Unit): Boolean = locked(target) {
    written(target, write) { file =>
      val isAsExpected =
        try Arrays.equals(Files.readAllBytes(target), expected)
        catch { case _: NoSuchFileException => false }
      if (isAsExpected) move(file, target)
      isAsExpected
    }
  }

  private def written[A](target: File, write: File => Unit)(name: File => A): A = {
    val file = target.resolveSibling(s".${target.getFileName}.${UUID.randomUUID}.tmp")
    try {
      write(file)
      Using.resource(FileChannel.open(file, WRITE))(_.force(true))
      val result = name(file)
      force(target.getParent)
      result
    } finally { Files.deleteIfExists(file); () }
  }

  private def move(file: File, target: File): Unit = { Files.move(file, target, ATOMIC_MOVE); () }

  /** File systems without links are left with a look at the target before the move. */
  private def link(target: File, file: File): Unit =
    try { Files.createLink(target, file); () }
    catch {
      case _: UnsupportedOperationException =>
        if (Files.exists(target)) throw new FileAlreadyExistsException(target.toString)
        move(file, target)
    }

  /** Names in a directory are on the disk; some systems let nobody open one. */
  def force(directory: File): Unit =
    try Using.resource(FileChannel.open(directory, READ))(_.force(true))
    catch { case _: IOException => }

  /**
   * Runs the body while no other process, and nobody else in this one, is in such a body for the same file. The system
   * ends the lock of a process that dies. It belongs to the process, so that closing the file anywhere would end it: hence
   * one monitor for all threads, by a text that all class loaders share.
   */
  private def locked[A](target: File)(body: => A): A = "shreddedvariant.LocalFile".intern.synchronized {
    val lock = target.resolveSibling(s".${target.getFileName}.lock")
    Using.resource(FileChannel.open(lock, CREATE, WRITE)) { channel =>
      // Where the file system has no locks, comparing has to do.
      val held =
        try channel.lock()
        catch { case _: IOException => null }
      try body
      finally if (held != null) held.release()
    }
  }
}
