/**
 * Lets one writer at a time replace the pins of a table that lies on no local disk: whoever creates a file beside them has
 * the lease, until it removes the file. One that its owner has left for a minute, having died, is removed by the next.
 */
package shreddedvariant.source.pin

import java.io.{FileNotFoundException, IOException}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

import scala.annotation.tailrec

import org.apache.hadoop.fs.{FileAlreadyExistsException, FileSystem, Path}
import shreddedvariant.SharedFile

private[source] final class PinLease(fs: FileSystem, folder: Path, isConditional: Boolean) {
  private val file = new Path(folder, s".${PinStore.FileName}.lock")

  /** Runs the body once nobody else has the lease. */
  @tailrec
  def held[A](body: => A): A =
    if (take())
      try body
      finally { fs.delete(file, false); () }
    else {
      expire()
      Thread.sleep(PinLease.Pause)
      held(body)
    }

  private def take(): Boolean =
    try {
      if (isConditional) SharedFile.create(fs, file, UUID.randomUUID.toString.getBytes(UTF_8))
      else fs.create(file, false).close()
      true
    } catch {
      case _: java.nio.file.FileAlreadyExistsException => false
      case _: FileAlreadyExistsException => false
      // File systems differ in how they say so.
      case e: IOException => if (SharedFile.isRefusal(e) || fs.exists(file)) false else throw e
    }

  /** Of a file that is removed at that moment some file systems say that it is of the year 1970. */
  private def expire(): Unit =
    try {
      val changed = fs.getFileStatus(file).getModificationTime
      if (changed > 0 && changed < System.currentTimeMillis - PinLease.Expires) fs.delete(file, false)
    } catch { case _: FileNotFoundException => }
}

private[source] object PinLease {
  val Expires = 60000L
  private val Pause = 20L
}
