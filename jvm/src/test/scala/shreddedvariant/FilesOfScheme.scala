package shreddedvariant

import java.net.URI

import org.apache.hadoop.fs.Path

/** Local files under another scheme, as a base of file systems that behave in another way. */
abstract class FilesOfScheme(scheme: String) extends QuickLocalFileSystem.Raw {
  override def getUri: URI = URI.create(s"$scheme:///")
  override def getScheme: String = scheme
  override protected def checkPath(path: Path): Unit = ()
}
