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
    try
      for {
        chunk <- group.chunk(leaf)
        if chunk.getColumnIndexReference != null && chunk.getOffsetIndexReference != null
        index <- Option(reader.readColumnIndex(chunk))
        offsets <- Option(reader.readOffsetIndex(chunk))
        if offsets.getPageCount == index.getNullPages.size
      } yield {
        PageLocations.check(chunk, offsets, group.rows)
        facts.ofPages(chunk, index, offsets, group.rows)
      }
    catch { case NonFatal(_) => None }
}
