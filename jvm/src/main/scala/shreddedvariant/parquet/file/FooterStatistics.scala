/** What the footer of a file that was just written says of each leaf, over all its row groups. */
package shreddedvariant.parquet.file

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.{ColumnChunkMetaData, ParquetMetadata}
import shreddedvariant.stats._

/**
 * Statistics in memory are whole: neither are long bounds left out, nor those that met a NaN, which shows in them as the
 * greatest number.
 */
object FooterStatistics {
  def of(footer: ParquetMetadata): Map[Seq[String], LeafStatistics] = {
    val chunks = footer.getBlocks.asScala.toSeq.flatMap(_.getColumns.asScala)
    chunks.groupBy(_.getPath.toArray.toSeq).map { case (leaf, chunks) =>
      leaf -> merged(chunks.map(facts))
    }
  }

  /** Bounds of a file are there only if each row group with a value has them. */
  private[parquet] def merged(all: Seq[LeafStatistics]): LeafStatistics = {
    val order = new DatumOrder(SkippingRules.all)
    val withValues = all.filterNot(_.areAllNull)
    def bound(of: LeafStatistics => Option[Datum], pick: Seq[Datum] => Datum) = {
      val bounds = withValues.map(of)
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
    val known: Option[Statistics[_]] = Option(chunk.getStatistics)
    val nulls = known.filter(_.isNumNullsSet).map(_.getNumNulls)
    val decode = StatisticsReader.decoder(chunk.getPrimitiveType)
    val bounds = known.filter(_.hasNonNullValue).fold(Bounds.none) { statistics =>
      Bounds(decode.flatMap(_(statistics.genericGetMin)), decode.flatMap(_(statistics.genericGetMax)))
    }
    LeafStatistics(chunk.getValueCount, nulls, bounds, hasNoNaN = !bounds.hasNaN)
  }
}
