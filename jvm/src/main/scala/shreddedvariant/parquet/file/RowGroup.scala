/** What the footer says of the columns of one row group. */
package shreddedvariant.parquet.file

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}

final class RowGroup(val block: BlockMetaData, val number: Int, places: LeafChunks) {
  private val chunks = mutable.Map.empty[Seq[String], Option[ColumnChunkMetaData]]

  def rows: Long = block.getRowCount
  def firstRow: Long = math.max(block.getRowIndexOffset, 0L)

  def chunk(leaf: Seq[String]): Option[ColumnChunkMetaData] =
    chunks.getOrElseUpdate(leaf, places.find(block, leaf))

  /** True only if the statistics prove it: a writer may leave them out. */
  def holdsNothing(leaf: Seq[String]): Boolean =
    chunk(leaf).exists(c => nulls(c).contains(c.getValueCount))

  def hasNoNulls(leaf: Seq[String]): Boolean = chunk(leaf).flatMap(nulls).contains(0L)

  /** Data pages of a leaf; 0 where the writer did not count them. */
  def pages(leaf: Seq[String]): Long = {
    val counted = for {
      chunk <- chunk(leaf)
      encodings <- Option(chunk.getEncodingStats)
    } yield encodings.getDataEncodings.asScala.toSeq.map(encodings.getNumDataPagesEncodedAs(_).toLong).sum
    counted.getOrElse(0L)
  }

  /** Whether the file says where each page of the leaf begins. */
  def hasOffsets(leaf: Seq[String]): Boolean = chunk(leaf).exists(_.getOffsetIndexReference != null)

  def bytes(leaf: Seq[String]): Long = chunk(leaf).fold(0L)(_.getTotalSize)
  def decodedBytes(leaf: Seq[String]): Long = chunk(leaf).fold(0L)(_.getTotalUncompressedSize)

  private def nulls(chunk: ColumnChunkMetaData): Option[Long] =
    Option(chunk.getStatistics).filter(_.isNumNullsSet).map(_.getNumNulls)
}
