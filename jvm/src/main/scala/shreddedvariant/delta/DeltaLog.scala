/** Finds and opens the logs of Delta tables; what Kernel has to say of them becomes one sentence. */
package shreddedvariant.delta

import java.io.{FileNotFoundException, IOException}
import java.nio.file.AccessDeniedException

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.hadoop.security.AccessControlException
import shreddedvariant.Errors
import shreddedvariant.shaded.io.delta.kernel.{Snapshot, Table}
import shreddedvariant.shaded.io.delta.kernel.defaults.engine.DefaultEngine
import shreddedvariant.shaded.io.delta.kernel.engine.Engine
import shreddedvariant.shaded.io.delta.kernel.exceptions.TableNotFoundException
import shreddedvariant.shaded.io.delta.kernel.internal.SnapshotImpl

/** Which of a table's versions is asked for. */
sealed trait AsOf

object AsOf {
  case object Newest extends AsOf
  final case class Version(number: Long) extends AsOf

  /** The version that was the newest at that time; `text` is how the user wrote it. */
  final case class Time(millis: Long, text: String) extends AsOf
}

object DeltaLog {
  val Directory = "_delta_log"

  /** Whether the directory is kept for a Delta table, even if nothing is committed yet: see [[begin]]. */
  def isTable(path: Path, conf: Configuration): Boolean =
    path.getFileSystem(conf).exists(new Path(path, Directory))

  /** Whether the table has a version. */
  def isCommitted(path: Path, conf: Configuration): Boolean = commits(path, conf).exists(_.nonEmpty)

  /** Whether the directory is kept for a table that has no version yet. */
  def isBegun(path: Path, conf: Configuration): Boolean = commits(path, conf).exists(_.isEmpty)

  /** What the log holds, if there is one; what a commit leaves under way has a hidden name. */
  private def commits(path: Path, conf: Configuration): Option[Seq[FileStatus]] =
    try {
      val files = path.getFileSystem(conf).listStatus(new Path(path, Directory)).toSeq
      Some(files.filterNot(_.getPath.getName.startsWith(".")))
    } catch { case _: FileNotFoundException => None }

  /**
   * Makes an empty log, before the files of a write that creates a table: a directory of files without a log would be
   * read as such, with the rows that a killed write has left in it.
   */
  def begin(path: Path, conf: Configuration): Unit = {
    path.getFileSystem(conf).mkdirs(new Path(path, Directory))
    ()
  }

  /** Takes back [[begin]] where nobody has committed. */
  def giveUp(path: Path, conf: Configuration): Unit =
    // Not with what is in it: hence no look at it before.
    try { path.getFileSystem(conf).delete(new Path(path, Directory), false); () }
    catch { case _: IOException => }

  /**
   * A table that one of the paths lies within, but for the paths themselves. Permissions often end at a prefix, so a
   * directory that may not be looked into counts as none.
   */
  def above(paths: Seq[Path], conf: Configuration): Option[Path] =
    paths.flatMap(path => Iterator.iterate(path.getParent)(_.getParent).takeWhile(_ != null)).distinct.find {
      directory =>
        try isTable(directory, conf)
        catch { case _: AccessDeniedException | _: AccessControlException => false }
    }

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

  /** Kernel's access to the files and JSON of a table. A log store that is set for its scheme is used as it is. */
  def engine(root: String, conf: Configuration): Engine = {
    val own = new Configuration(conf)
    val scheme = new Path(root).toUri.getScheme
    val key = SharedLog.storeKey(scheme)
    val store = if (scheme == "file") classOf[LocalLog] else classOf[SharedLog]
    if (own.get(key) == null) own.set(key, store.getName)
    new NamedFiles(DefaultEngine.create(own))
  }

  private def inHistory(root: String, asked: String)(open: => Snapshot): Snapshot =
    try open
    catch { case NonFatal(e) => throw Errors.deltaVersion(root, asked, e) }
}
