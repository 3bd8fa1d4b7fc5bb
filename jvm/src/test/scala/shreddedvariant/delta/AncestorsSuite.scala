/** A denied request above a table counts as no table there, however the file system reports it; other errors do not. */
package shreddedvariant.delta

import java.io.{FileNotFoundException, IOException, UncheckedIOException}
import java.net.URI
import java.nio.file.{AccessDeniedException, Files}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{
  FileStatus,
  Path,
  PathAccessDeniedException,
  PathPermissionException,
  RawLocalFileSystem
}
import org.apache.hadoop.security.AccessControlException

class AncestorsSuite extends shreddedvariant.Suite {
  private val conf = new Configuration(false)
  conf.set("fs.denying.impl", classOf[DenyingFileSystem].getName)
  conf.setBoolean("fs.denying.impl.disable.cache", true)

  private def above(failure: Throwable): Option[Path] = {
    DenyingFileSystem.failure = failure
    DeltaLog.above(Seq(new Path("denying://bucket" + Files.createTempDirectory("t") + "/a/b")), conf)
  }

  private val denied = Seq[Throwable](
    new AccessDeniedException("/x"),
    new AccessControlException("Permission denied"),
    new PathAccessDeniedException("/x"),
    new PathPermissionException("/x"),
    new SecurityException("no"),
    new IOException("Error accessing gs://bucket/x: 403 Forbidden"),
    new IOException("request failed", new AccessDeniedException("/x")),
    new UncheckedIOException(new AccessDeniedException("/x"))
  )

  for (failure <- denied) test(s"$failure")(assertEquals(above(failure), None))

  for (failure <- Seq[Throwable](new IOException("Connection reset"), new IOException("503 Slow Down")))
    test(s"$failure is raised")(intercept[IOException](above(failure)))

  test("a missing directory has no table")(assertEquals(above(new FileNotFoundException("/x")), None))
}

class DenyingFileSystem extends RawLocalFileSystem {
  override def getUri: URI = URI.create("denying://bucket")
  override def getScheme: String = "denying"
  override protected def checkPath(path: Path): Unit = ()
  override def getFileStatus(path: Path): FileStatus = throw DenyingFileSystem.failure
  override def exists(path: Path): Boolean =
    try { getFileStatus(path); true }
    catch { case _: FileNotFoundException => false }
}

object DenyingFileSystem {
  @volatile var failure: Throwable = _
}
