/** Merges the statistics of each leaf over all row groups, from the footer of a file that was just written. */
package shreddedvariant.parquet.file

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.{ColumnChunkMetaData, ParquetMetadata}
import shreddedvariant.stats._

/**
 * Statistics in memory are complete: they include long bounds, and bounds of leaves with a NaN, which is then
 * the maximum.
 */
object FooterStatistics {
  def of(footer: ParquetMetadata): Map[Seq[String], LeafStatistics] = {
    val chunks = footer.getBlocks.asScala.toSeq.flatMap(_.getColumns.asScala)
    chunks.groupBy(_.getPath.toArray.toSeq).map { case (leaf, chunks) =>
      leaf -> merged(chunks.map(facts))
    }
  }

  /** The file has a bound only if each row group with a value has this bound. */
  private[parquet] def merged(all: Seq[LeafStatistics]): LeafStatistics = {
    val order = new DatumOrder(SkippingRules.all)
    val withValues = all.filterNot(_.areAllNull)
    def bound(side: LeafStatistics => Option[Datum], pick: Seq[Datum] => Datum) = {
      val bounds = withValues.map(side)
      Option.when(bounds.nonEmpty && bounds.forall(_.isDefined))(pick(bounds.flatten))
    }
    LeafStatistics(
      all.map(_.entries).sum,
      Option.when(all.forall(_.nulls.isDefined))(all.flatMap(_.nulls).sum),
      Bounds(bound(_.bounds.min, _.min(order)), bound(_.bounds.max, _.max(order))),
      hasNoNaN = withValues.forall(_.hasNoNaN)
    )
  }

  private def facts(chunk: ColumnChunkMetaData): LeafStatistics = {
    val statistics: Option[Statistics[_]] = Option(chunk.getStatistics)
    val nulls = statistics.filter(_.isNumNullsSet).map(_.getNumNulls)
    val decode = StatisticsReader.decoder(chunk.getPrimitiveType)
    val bounds = statistics.filter(_.hasNonNullValue).fold(Bounds.none) { present =>
      Bounds(decode.flatMap(_(present.genericGetMin)), decode.flatMap(_(present.genericGetMax)))
    }
    LeafStatistics(chunk.getValueCount, nulls, bounds, hasNoNaN = !bounds.hasNaN)
  }
}
