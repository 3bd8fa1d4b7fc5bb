/** Keeps routes that list directories out of Delta tables, whose log alone says which files there are. */
package shreddedvariant.source.table

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import shreddedvariant.Errors
import shreddedvariant.delta.DeltaLog

object DeltaPathCheck {

  /** For a directory that is about to be listed or written as one of files; `route` is how it got here. */
  def check(path: Path, conf: Configuration, route: String): Unit = {
    if (DeltaLog.isTable(path, conf)) throw Errors.deltaRoute(path.toString, route)
    checkAbove(path, conf)
  }

  def checkAbove(path: Path, conf: Configuration): Unit = checkAbove(Seq(path), conf)

  /** A directory above several of them is asked about once. */
  def checkAbove(paths: Seq[Path], conf: Configuration): Unit = DeltaLog.above(paths, conf).foreach { table =>
    val within = paths.find(isBelow(_, table)).getOrElse(paths.head)
    throw Errors.insideDelta(within.toString, table.toString)
  }

  def isBelow(path: Path, top: Path): Boolean =
    Iterator.iterate(path)(_.getParent).takeWhile(_ != null).contains(top)
}
