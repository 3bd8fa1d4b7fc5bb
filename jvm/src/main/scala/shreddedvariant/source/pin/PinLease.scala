/**
 * Lets one writer at a time replace the pins of a table that is not on a local disk: the writer that creates
 * the lease file has the lease until it removes the file. Other writers remove a lease file that is
 * older than a minute, because its writer has probably died.
 */
package shreddedvariant.source.pin

import java.io.{FileNotFoundException, IOException}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Arrays, UUID}

import scala.annotation.tailrec
import scala.util.Using

import org.apache.hadoop.fs.{FileAlreadyExistsException, FileSystem, Path}
import shreddedvariant.SharedFile

private[source] final class PinLease(fs: FileSystem, folder: Path, isConditional: Boolean) {
  private val file = new Path(folder, s".${PinStore.FileName}.lock")

  /** The content of this writer's lease file. */
  private val token = UUID.randomUUID.toString.getBytes(UTF_8)

  /** Runs the body with the lease; waits while another writer has it. */
  @tailrec
  def held[A](body: => A): A =
    if (take())
      try body
      finally release()
    else {
      expire()
      Thread.sleep(PinLease.Pause)
      held(body)
    }

  private def take(): Boolean =
    try {
      if (isConditional) SharedFile.create(fs, file, token)
      else Using.resource(fs.create(file, false))(_.write(token))
      true
    } catch {
      case _: java.nio.file.FileAlreadyExistsException => false
      case _: FileAlreadyExistsException => false
      // File systems report an existing file by different exceptions.
      case e: IOException => if (SharedFile.isRefusal(e) || fs.exists(file)) false else throw e
    }

  /** Another writer may have the lease by now, if this one held it for more than a minute. */
  private def release(): Unit =
    if (SharedFile.read(fs, file).exists(Arrays.equals(_, token))) { fs.delete(file, false); () }

  /** Removes an expired lease. Some file systems report time 0 for a file that is being removed. */
  private def expire(): Unit =
    try {
      val changed = fs.getFileStatus(file).getModificationTime
      if (changed > 0 && changed < System.currentTimeMillis + ahead - PinLease.Expires) fs.delete(file, false)
    } catch { case _: FileNotFoundException => }

  /** The milliseconds that the clock of the file system is ahead of the clock of this process. */
  private lazy val ahead: Long = {
    val mark = new Path(folder, s".${PinStore.FileName}.${UUID.randomUUID}.tmp")
    try {
      Using.resource(fs.create(mark, false))(_.write(token))
      fs.getFileStatus(mark).getModificationTime - System.currentTimeMillis
    } finally { fs.delete(mark, false); () }
  }
}

private[source] object PinLease {
  val Expires = 60000L
  private val Pause = 20L
}
