package shreddedvariant

import java.net.URI

import org.apache.hadoop.fs.{FSDataOutputStream, Path}
import org.apache.hadoop.util.Progressable

/** Local files under another scheme, as a base of file systems that behave in another way. */
abstract class FilesOfScheme(scheme: String) extends QuickLocalFileSystem.Raw {
  override def getUri: URI = URI.create(s"$scheme:///")
  override def getScheme: String = scheme
  override protected def checkPath(path: Path): Unit = ()

  /** The stream into a new file; `local` creates the file on the local disk, over any other. */
  protected def newFile(path: Path, overwrite: Boolean, local: => FSDataOutputStream): FSDataOutputStream

  override def create(
      path: Path,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream =
    newFile(path, overwrite, super.create(path, true, bufferSize, replication, blockSize, progress))
}
