/** Finds and opens the logs of Delta tables, and turns Kernel's exceptions into our errors. */
package shreddedvariant.delta

import java.io.{FileNotFoundException, IOException}
import java.nio.file.AccessDeniedException

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path, PathAccessDeniedException, PathPermissionException}
import org.apache.hadoop.security.AccessControlException
import shreddedvariant.Errors
import shreddedvariant.shaded.io.delta.kernel.{Snapshot, Table}
import shreddedvariant.shaded.io.delta.kernel.defaults.engine.DefaultEngine
import shreddedvariant.shaded.io.delta.kernel.engine.Engine
import shreddedvariant.shaded.io.delta.kernel.exceptions.TableNotFoundException
import shreddedvariant.shaded.io.delta.kernel.internal.SnapshotImpl

/** The version of a table to open. */
sealed trait AsOf

object AsOf {
  case object Newest extends AsOf
  final case class Version(number: Long) extends AsOf

  /** The version that was the newest at that time; `text` is the time as the user wrote it. */
  final case class Time(millis: Long, text: String) extends AsOf
}

object DeltaLog {
  val Directory = "_delta_log"

  /** Whether the directory has a log, even if the log has no commit yet: see [[begin]]. */
  def isTable(path: Path, conf: Configuration): Boolean =
    path.getFileSystem(conf).exists(new Path(path, Directory))

  /** Whether the directory has a log with a commit. */
  def isCommitted(path: Path, conf: Configuration): Boolean = commits(path, conf).exists(_.nonEmpty)

  /** Whether the directory has a log without a commit. */
  def isBegun(path: Path, conf: Configuration): Boolean = commits(path, conf).exists(_.isEmpty)

  /** The files in the log, if there is a log, without hidden files, which unfinished commits create. */
  private def commits(path: Path, conf: Configuration): Option[Seq[FileStatus]] =
    try {
      val files = path.getFileSystem(conf).listStatus(new Path(path, Directory)).toSeq
      Some(files.filterNot(_.getPath.getName.startsWith(".")))
    } catch { case _: FileNotFoundException => None }

  /**
   * Creates an empty log, before a write creates the files of a new table. Without a log, the directory would
   * be read as a directory of files, with the rows of a killed write.
   */
  def begin(path: Path, conf: Configuration): Unit = {
    path.getFileSystem(conf).mkdirs(new Path(path, Directory))
    ()
  }

  /** Undoes [[begin]] if the log has no commit. */
  def giveUp(path: Path, conf: Configuration): Unit =
    // This delete is not recursive, so it fails if the directory is not empty.
    try { path.getFileSystem(conf).delete(new Path(path, Directory), false); () }
    catch { case _: IOException => }

  /**
   * A table in a parent directory of one of the paths. A parent without read permission does not count as a
   * table, because permissions often start at a prefix.
   */
  def above(paths: Seq[Path], conf: Configuration): Option[Path] =
    paths.flatMap(path => Iterator.iterate(path.getParent)(_.getParent).takeWhile(_ != null)).distinct.find {
      directory =>
        try isTable(directory, conf)
        catch { case NonFatal(e) if isDenied(e) => false }
    }

  /** File systems report a denied request by various exceptions; Google's connector by the text alone. */
  private def isDenied(e: Throwable): Boolean =
    Iterator.iterate(e)(_.getCause).takeWhile(_ != null).take(MaxCauses).exists {
      case _: AccessDeniedException | _: AccessControlException | _: SecurityException => true
      case _: PathAccessDeniedException | _: PathPermissionException => true
      case other => Option(other.getMessage).exists(Denied.findFirstIn(_).isDefined)
    }

  private val MaxCauses = 10
  private val Denied = "(?i)\\b403\\b|forbidden|access ?denied|permission denied|not authorized".r

  def open(path: Path, asOf: AsOf, conf: Configuration): DeltaSnapshot = {
    val root = path.getFileSystem(conf).makeQualified(path).toString
    val kernel = engine(root, conf)
    val snapshot = KernelErrors.attempt(root) {
      val table = Table.forPath(kernel, root)
      asOf match {
        case AsOf.Newest =>
          try table.getLatestSnapshot(kernel)
          catch { case _: TableNotFoundException => throw Errors.deltaUncommitted(root) }
        case AsOf.Version(number) =>
          inHistory(root, number.toString)(table.getSnapshotAsOfVersion(kernel, number))
        case AsOf.Time(millis, text) => inHistory(root, text)(table.getSnapshotAsOfTimestamp(kernel, millis))
      }
    }
    new DeltaSnapshot(root, snapshot.asInstanceOf[SnapshotImpl], kernel)
  }

  /** Kernel's access to the files and JSON of a table. A configured log store for the scheme is kept. */
  def engine(root: String, conf: Configuration): Engine = {
    val kernelConf = new Configuration(conf)
    val scheme = new Path(root).toUri.getScheme
    val key = SharedLog.storeKey(scheme)
    val store = if (scheme == "file") classOf[LocalLog] else classOf[SharedLog]
    if (kernelConf.get(key) == null) kernelConf.set(key, store.getName)
    new NamedFiles(DefaultEngine.create(kernelConf))
  }

  private def inHistory(root: String, version: String)(open: => Snapshot): Snapshot =
    try open
    catch { case NonFatal(e) => throw Errors.deltaVersion(root, version, e) }
}
