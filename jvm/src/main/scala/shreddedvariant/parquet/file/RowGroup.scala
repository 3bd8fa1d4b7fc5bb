/** Gives the footer's facts about the columns of one row group. */
package shreddedvariant.parquet.file

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}

final class RowGroup(val block: BlockMetaData, val number: Int, leafChunks: LeafChunks) {
  private val chunks = mutable.Map.empty[Seq[String], Option[ColumnChunkMetaData]]

  def rows: Long = block.getRowCount
  def firstRow: Long = math.max(block.getRowIndexOffset, 0L)

  def chunk(leaf: Seq[String]): Option[ColumnChunkMetaData] =
    chunks.getOrElseUpdate(leaf, leafChunks.find(block, leaf))

  /** Whether all values are null. False if the writer left out the null count. */
  def holdsNothing(leaf: Seq[String]): Boolean =
    chunk(leaf).exists(c => nulls(c).contains(c.getValueCount))

  def hasNoNulls(leaf: Seq[String]): Boolean = chunk(leaf).flatMap(nulls).contains(0L)

  /** The number of data pages of a leaf; 0 if the footer does not have it. */
  def pages(leaf: Seq[String]): Long = {
    val count = for {
      chunk <- chunk(leaf)
      encodings <- Option(chunk.getEncodingStats)
    } yield encodings.getDataEncodings.asScala.toSeq.map(encodings.getNumDataPagesEncodedAs(_).toLong).sum
    count.getOrElse(0L)
  }

  /** Whether the leaf has an offset index. */
  def hasOffsets(leaf: Seq[String]): Boolean = chunk(leaf).exists(_.getOffsetIndexReference != null)

  def bytes(leaf: Seq[String]): Long = chunk(leaf).fold(0L)(_.getTotalSize)
  def decodedBytes(leaf: Seq[String]): Long = chunk(leaf).fold(0L)(_.getTotalUncompressedSize)

  private def nulls(chunk: ColumnChunkMetaData): Option[Long] =
    Option(chunk.getStatistics).filter(_.isNumNullsSet).map(_.getNumNulls)
}
