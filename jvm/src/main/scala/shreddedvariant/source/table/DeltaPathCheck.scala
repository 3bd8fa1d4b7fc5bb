/** Refuses Delta tables on routes that list directories, because only the log lists the files of a table. */
package shreddedvariant.source.table

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import shreddedvariant.Errors
import shreddedvariant.delta.DeltaLog

object DeltaPathCheck {

  /** Checks a directory that is listed or written as a directory of files; `route` is named in the error. */
  def check(path: Path, conf: Configuration, route: String): Unit = {
    if (DeltaLog.isTable(path, conf)) throw Errors.deltaRoute(path.toString, route)
    checkAbove(path, conf)
  }

  def checkAbove(path: Path, conf: Configuration): Unit = checkAbove(Seq(path), conf)

  /** Checks that no path is inside a Delta table, with one request for each directory above the paths. */
  def checkAbove(paths: Seq[Path], conf: Configuration): Unit = DeltaLog.above(paths, conf).foreach { table =>
    val within = paths.find(isBelow(_, table)).getOrElse(paths.head)
    throw Errors.insideDelta(within.toString, table.toString)
  }

  def isBelow(path: Path, top: Path): Boolean =
    Iterator.iterate(path)(_.getParent).takeWhile(_ != null).contains(top)
}
