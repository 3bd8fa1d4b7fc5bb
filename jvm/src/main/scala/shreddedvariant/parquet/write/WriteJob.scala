/** Describes how files are written: an immutable value that the driver creates and sends to the tasks. */
package shreddedvariant.parquet.write

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetOutputFormat
import org.apache.spark.util.CollectionAccumulator
import shreddedvariant.infer.Limits
import shreddedvariant.layout.{Shape, WriteLayout}
import shreddedvariant.maps.{HotMaps, KeyLimits}

/**
 * `shapes` has the given shapes of variant columns by path in the schema; `limits` has the limits with which
 * each file infers the shapes of other columns from its first rows. All other variant columns are written
 * unshredded. `named` are the columns whose shape the write names and does not take from the table; the footers
 * of files list these shapes.
 *
 * `maps` has the given hot keys of maps, and `namedMaps` the maps whose hot keys the write names. For maps in
 * `mapLimits`, each file chooses hot keys from its first rows. `blooms` are the paths and hot keys that get
 * bloom filters. `cuts` collects the SQL names of columns with more paths or keys than can be counted.
 *
 * With `withDifferences`, variants may use the DELTA encodings, which Parquet's writer uses only in version 2.
 * Any reader that supports shredding supports the DELTA encodings. If the user sets the writer version,
 * `withDifferences` is false, and encodings are those of Parquet's writer.
 */
final case class WriteJob(
    shapes: Map[Seq[String], Shape],
    limits: Map[Seq[String], Limits] = Map.empty,
    sample: SampleSize = SampleSize(),
    layout: WriteLayout = WriteLayout.Parquet,
    named: Set[Seq[String]] = Set.empty,
    maps: HotMaps = HotMaps.none,
    mapLimits: Map[Seq[String], KeyLimits] = Map.empty,
    namedMaps: Set[Seq[String]] = Set.empty,
    blooms: Blooms = Blooms.none,
    cuts: Option[CollectionAccumulator[String]] = None,
    withDifferences: Boolean = true
) {

  /** Whether no shape and no hot keys depend on the first rows. */
  def isDecided: Boolean = limits.isEmpty && mapLimits.isEmpty
}

object WriteJob {

  /** Whether a configuration sets the version of Parquet's writer. */
  def isVersionGiven(conf: Configuration): Boolean = conf.get(ParquetOutputFormat.WRITER_VERSION) != null
}

/**
 * The size of the sample from which a writer infers shapes. The row that reaches one of the limits is the last
 * row.
 */
final case class SampleSize(rows: Int = SampleSize.Rows, bytes: Long = SampleSize.Bytes)

object SampleSize {
  final val Rows = 4096
  final val Bytes = 64L * 1024 * 1024
}
