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
import java.nio.channels.{FileChannel, FileLock}
import java.nio.file.{
  AccessDeniedException,
  FileAlreadyExistsException,
  FileSystemException,
  Files,
  NoSuchFileException,
  Path => File
}
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.StandardCopyOption.ATOMIC_MOVE
import java.nio.file.StandardOpenOption.{CREATE, READ, WRITE}
import java.util.{Arrays, UUID}

import scala.util.Using

class LocalFile(createLink: (File, File) => Unit, lock: FileChannel => FileLock) {

  /** Has `write` fill a file beside `target`, then gives it that name. Raises if the name is taken and `replace` is false. */
  def put(target: File, replace: Boolean)(write: File => Unit): Unit =
    written(target, write)(file => if (replace) move(file, target) else link(target, file))

  /** Replaces a file that still holds these bytes when the new ones are on the disk; false if it does not. */
  def replace(target: File, expected: Array[Byte])(write: File => Unit): Boolean = locked(lockOf(target)) {
    _ =>
      // Where the file system has no locks, comparing has to do.
      written(target, write) { file =>
        val isAsExpected =
          try Arrays.equals(Files.readAllBytes(target), expected)
          catch { case _: NoSuchFileException => false }
        if (isAsExpected) move(file, target)
        isAsExpected
      }
  }

  private def lockOf(target: File) = target.resolveSibling(s".${target.getFileName}.lock")

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

  /**
   * Linux says FileSystemException (EPERM, EOPNOTSUPP) where a file system has no links: vfat, exFAT, FUSE. There each
   * writer looks at the name and moves its file under one lock, which all writers of the directory take. A reader finds
   * the file whole, because a move is one step, and the system ends the lock of a process that dies.
   */
  private def link(target: File, file: File): Unit = {
    def moved(noLinks: Exception): Unit = locked(target.resolveSibling(".lock")) { held =>
      for (noLocks <- held.left) throw Errors.noLinks(target.toString, noLocks)
      if (Files.exists(target, NOFOLLOW_LINKS)) throw new FileAlreadyExistsException(target.toString)
      try move(file, target)
      catch { case e: IOException => e.addSuppressed(noLinks); throw e }
    }
    try createLink(target, file)
    catch {
      case e @ (_: FileAlreadyExistsException | _: NoSuchFileException | _: AccessDeniedException) => throw e
      // A disk that is full has links as well, and other writers make them: they take no lock.
      case e: FileSystemException => if (hasLinks(file)) throw e else moved(e)
      case e: UnsupportedOperationException => moved(e)
    }
  }

  private def hasLinks(file: File): Boolean = {
    val other = file.resolveSibling(s"${file.getFileName}.link")
    try { createLink(other, file); true }
    catch { case _: IOException | _: UnsupportedOperationException => false }
    finally { Files.deleteIfExists(other); () }
  }

  /** Names in a directory are on the disk; some systems let nobody open one. */
  def force(directory: File): Unit =
    try Using.resource(FileChannel.open(directory, READ))(_.force(true))
    catch { case _: IOException => }

  /**
   * Runs the body under the lock of a file. The system releases the lock of a process that dies. A lock belongs to a whole
   * process, and closing the file in any thread releases it, so all threads share one monitor: a text that all class loaders
   * share. The body gets the lock, or the error that says why there is none.
   */
  private def locked[A](lockFile: File)(body: Either[IOException, FileLock] => A): A =
    "shreddedvariant.LocalFile".intern.synchronized {
      Using.resource(FileChannel.open(lockFile, CREATE, WRITE)) { channel =>
        val held =
          try Right(lock(channel))
          catch { case e: IOException => Left(e) }
        try body(held)
        finally held.foreach(_.release())
      }
    }
}

object LocalFile extends LocalFile((target, file) => { Files.createLink(target, file); () }, _.lock())
