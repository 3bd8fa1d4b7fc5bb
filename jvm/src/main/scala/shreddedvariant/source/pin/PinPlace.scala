/** Where a table keeps its pins, and the data files whose footers decide new pins. */
package shreddedvariant.source.pin

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.datasources.{InMemoryFileIndex, NoopCache}

trait PinPlace {
  def read(): Pins

  /** Adds the pins that are missing; returns all pins of the table, also those of other writers. */
  def add(missing: Pins): Pins

  /** The data files of the table, in any order. */
  def files: Seq[FileStatus]
}

/** The pins of a directory of files, in a [[PinStore]]. */
final class DirectoryPins(spark: SparkSession, table: Path, conf: Configuration, options: Map[String, String])
    extends PinPlace {
  private val store = new PinStore(table, conf, options)

  override def read(): Pins = store.read().getOrElse(Pins.none)

  override def add(missing: Pins): Pins = store.add(missing)

  override def files: Seq[FileStatus] =
    if (!table.getFileSystem(conf).exists(table)) Nil
    else new InMemoryFileIndex(spark, Seq(table), Map.empty, None, NoopCache).allFiles()
}
