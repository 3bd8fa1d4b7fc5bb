/**
 * Writes a file to a local disk, completely or not at all, and replaces an existing file only on request.
 *
 * Hadoop's local rename first checks whether the target exists, and then replaces it: two processes that create
 * the same file would both succeed. The operating system makes a hard link in one step, and refuses a name that
 * is taken.
 *
 * The bytes are forced to the disk before the name, and the name before `put` or `replace` returns: after a
 * crash of the process or the machine either the old file or the new file exists.
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

class LocalFile(
    createLink: (File, File) => Unit,
    lock: FileChannel => FileLock,
    createFile: File => Unit
) {
  def this(createLink: (File, File) => Unit, lock: FileChannel => FileLock) =
    this(createLink, lock, file => { Files.createFile(file); () })

  /**
   * Lets `write` fill a temporary file beside `target`, then gives the file that name. Raises
   * FileAlreadyExistsException if the name is taken and `replace` is false.
   */
  def put(target: File, replace: Boolean)(write: File => Unit): Unit =
    written(target, write)(file => if (replace) move(file, target) else link(target, file))

  /** Replaces a file if it still has the expected bytes once the new bytes are on the disk; false if not. */
  def replace(target: File, expected: Array[Byte])(write: File => Unit): Boolean = locked(lockOf(target)) {
    _ =>
      // On a file system without locks, only the comparison protects the changes of other writers.
      written(target, write) { file =>
        val isAsExpected =
          try Arrays.equals(Files.readAllBytes(target), expected)
          catch { case _: NoSuchFileException => false }
        if (isAsExpected) move(file, target)
        isAsExpected
      }
  }

  private def lockOf(target: File) = target.resolveSibling(s".${target.getFileName}.lock")

  private def written[A](target: File, write: File => Unit)(publish: File => A): A = {
    val file = target.resolveSibling(s".${target.getFileName}.${UUID.randomUUID}.tmp")
    try {
      write(file)
      Using.resource(FileChannel.open(file, WRITE))(_.force(true))
      val result = publish(file)
      force(target.getParent)
      result
    } finally { Files.deleteIfExists(file); () }
  }

  private def move(file: File, target: File): Unit = { Files.move(file, target, ATOMIC_MOVE); () }

  /**
   * Gives a file its name by a hard link. On file systems without hard links (vfat, exFAT, FUSE), Linux raises
   * a FileSystemException (EPERM, EOPNOTSUPP). There each writer takes the lock of the directory, checks that
   * the name is free, and moves its file. A reader finds only complete files, because a move is one step, and
   * the operating system releases the lock of a process that dies.
   */
  private def link(target: File, file: File): Unit = {
    def moved(noLinks: Exception): Unit = locked(target.resolveSibling(".lock")) { acquired =>
      for (noLocks <- acquired.left) throw Errors.noLinks(target.toString, noLocks)
      if (Files.exists(target, NOFOLLOW_LINKS)) throw new FileAlreadyExistsException(target.toString)
      try move(file, target)
      catch { case e: IOException => e.addSuppressed(noLinks); throw e }
    }
    try createLink(target, file)
    catch {
      case e @ (_: FileAlreadyExistsException | _: NoSuchFileException | _: AccessDeniedException) => throw e
      // For example a full disk. If links work, other writers use links and take no lock, so a move is unsafe.
      case e: FileSystemException => if (isFull(file) || hasLinks(file)) throw e else moved(e)
      case e: UnsupportedOperationException => moved(e)
    }
  }

  /** Law: a new file needs the space of a link and more. Afterwards its name is free for the link of `hasLinks`. */
  private def isFull(file: File): Boolean = {
    val other = file.resolveSibling(s"${file.getFileName}.new")
    try { createFile(other); false }
    catch { case _: IOException => true }
    finally { Files.deleteIfExists(other); () }
  }

  private def hasLinks(file: File): Boolean = {
    val other = file.resolveSibling(s"${file.getFileName}.link")
    try { createLink(other, file); true }
    catch { case _: IOException | _: UnsupportedOperationException => false }
    finally { Files.deleteIfExists(other); () }
  }

  /** Forces the names of a directory to the disk; does nothing on systems that cannot open a directory. */
  def force(directory: File): Unit =
    try Using.resource(FileChannel.open(directory, READ))(_.force(true))
    catch { case _: IOException => }

  /**
   * Runs the body under the lock of a file. The operating system releases the lock of a process that dies. A
   * lock belongs to the whole process, and closing the file in any thread releases it, so all threads share one
   * monitor: an interned string, which all class loaders share. The body gets the lock, or the error that
   * prevented the lock.
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
