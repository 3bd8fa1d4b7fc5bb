/** How files are written: one immutable value, made in the driver and sent to the tasks. */
package shreddedvariant.parquet.write

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetOutputFormat
import org.apache.spark.util.CollectionAccumulator
import shreddedvariant.infer.Limits
import shreddedvariant.layout.{Shape, WriteLayout}
import shreddedvariant.maps.{HotMaps, KeyLimits}

/**
 * By the path of a variant column within the schema: the shape that is given, or the limits by which each file infers
 * one from its first rows. A column in neither is written unshredded. `named` are those columns whose shape the write
 * names, and does not take from its table: files remember that. `maps` have hot keys that are given, those in `namedMaps`
 * by the write, and those of `mapLimits` find theirs in the first rows. `blooms` get bloom filters where a file has leaves for them.
 * `cuts` hears of columns that have more paths or keys than are counted, by their names in SQL. Variants may be stored by differences, in encodings
 * that Parquet's writer has in version 2 only, `withDifferences`: whoever reads shredded variants is young enough to know
 * them, but who sets the writer's version gets what Parquet's writer makes.
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

  /** Whether nothing is left for the first rows to decide. */
  def isDecided: Boolean = limits.isEmpty && mapLimits.isEmpty
}

object WriteJob {

  /** Whether the version of Parquet's writer is set in a configuration. */
  def isVersionGiven(conf: Configuration): Boolean = conf.get(ParquetOutputFormat.WRITER_VERSION) != null
}

/** What one writer may hold back before it decides on shapes; the row that reaches either bound is the last one. */
final case class SampleSize(rows: Int = SampleSize.Rows, bytes: Long = SampleSize.Bytes)

object SampleSize {
  final val Rows = 4096
  final val Bytes = 64L * 1024 * 1024
}
