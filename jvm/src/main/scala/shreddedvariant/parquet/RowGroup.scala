/** What the footer says of the columns of one row group. */
package shreddedvariant.parquet

import scala.jdk.CollectionConverters._

import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}

final class RowGroup(block: BlockMetaData) {
  private lazy val chunks: Map[Seq[String], ColumnChunkMetaData] =
    block.getColumns.asScala.map(c => c.getPath.toArray.toSeq -> c).toMap

  def rows: Long = block.getRowCount
  def firstRow: Long = math.max(block.getRowIndexOffset, 0L)

  /** True only if the statistics prove it: a writer may leave them out. */
  def holdsNothing(leaf: Seq[String]): Boolean = nulls(leaf).exists { case (nulls, values) =>
    nulls == values
  }

  def hasNoNulls(leaf: Seq[String]): Boolean = nulls(leaf).exists(_._1 == 0)

  private def nulls(leaf: Seq[String]): Option[(Long, Long)] =
    for {
      chunk <- chunks.get(leaf)
      statistics <- Option(chunk.getStatistics) if statistics.isNumNullsSet
    } yield (statistics.getNumNulls, chunk.getValueCount)
}
