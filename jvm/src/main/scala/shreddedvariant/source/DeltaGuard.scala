/** Keeps file routes out of Delta tables: a listing would bring removed files back, an overwrite would delete the log. */
package shreddedvariant.source

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import shreddedvariant.Errors

object DeltaGuard {
  private val Log = "_delta_log"

  def check(path: Path, conf: Configuration): Unit =
    if (path.getFileSystem(conf).exists(new Path(path, Log))) throw Errors.deltaTable(path.toString)

  /** For a file of which only the path is known: the directories that it stands in. */
  def checkAbove(file: Path, conf: Configuration): Unit =
    Iterator.iterate(file.getParent)(_.getParent).takeWhile(_ != null).foreach(check(_, conf))
}
