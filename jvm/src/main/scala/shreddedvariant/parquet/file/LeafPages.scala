/** Reads the statistics of a leaf's pages from the column index and the offset index. */
package shreddedvariant.parquet.file

import scala.util.control.NonFatal

import org.apache.parquet.hadoop.ParquetFileReader
import shreddedvariant.stats.{LeafStatistics, RowRange}

private[parquet] final class LeafPages(reader: ParquetFileReader, facts: StatisticsReader) {

  /**
   * The row range of each page in the row group, with its statistics; None if an index is missing or damaged.
   */
  def of(group: RowGroup, leaf: Seq[String]): Option[IndexedSeq[(RowRange, LeafStatistics)]] =
    for {
      chunk <- group.chunk(leaf)
      if chunk.getColumnIndexReference != null && chunk.getOffsetIndexReference != null
      index <- unlessDamaged(reader.readColumnIndex(chunk))
      offsets <- unlessDamaged(reader.readOffsetIndex(chunk))
      if offsets.getPageCount == index.getNullPages.size && offsets.getFirstRowIndex(0) == 0
    } yield facts.ofPages(chunk, index, offsets, group.rows)

  private def unlessDamaged[A](read: => A): Option[A] =
    try Option(read)
    catch { case NonFatal(_) => None }
}
