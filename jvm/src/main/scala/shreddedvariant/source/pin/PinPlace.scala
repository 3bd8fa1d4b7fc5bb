/** Where a table keeps the shapes of its columns, and the files that say which shapes these may be. */
package shreddedvariant.source.pin

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.datasources.{InMemoryFileIndex, NoopCache}

trait PinPlace {
  def read(): Pins

  /** Pins that were missing; gives what stands there then, whoever was the first to put it there. */
  def add(first: Pins): Pins

  /** The data files of the table, in any order. */
  def files: Seq[FileStatus]
}

/** A directory of files, with a file of pins. */
final class DirectoryPins(spark: SparkSession, table: Path, conf: Configuration, options: Map[String, String])
    extends PinPlace {
  private val store = new PinStore(table, conf, options)

  override def read(): Pins = store.read().getOrElse(Pins.none)

  override def add(first: Pins): Pins = store.add(first)

  override def files: Seq[FileStatus] =
    if (!table.getFileSystem(conf).exists(table)) Nil
    else new InMemoryFileIndex(spark, Seq(table), Map.empty, None, NoopCache).allFiles()
}
