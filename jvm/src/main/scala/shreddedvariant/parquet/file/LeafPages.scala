/** What the indexes of a file say of the pages of single leaves; nothing where they are damaged, or none. */
package shreddedvariant.parquet.file

import scala.util.control.NonFatal

import org.apache.parquet.hadoop.ParquetFileReader
import shreddedvariant.stats.{LeafStatistics, RowRange}

private[parquet] final class LeafPages(reader: ParquetFileReader, facts: StatisticsReader) {

  /** The pages of a leaf as spans of the row group, each with its facts. */
  def of(group: RowGroup, leaf: Seq[String]): Option[IndexedSeq[(RowRange, LeafStatistics)]] =
    for {
      chunk <- group.chunk(leaf)
      if chunk.getColumnIndexReference != null && chunk.getOffsetIndexReference != null
      index <- unlessDamaged(reader.readColumnIndex(chunk))
      places <- unlessDamaged(reader.readOffsetIndex(chunk))
      if places.getPageCount == index.getNullPages.size && places.getFirstRowIndex(0) == 0
    } yield facts.ofPages(chunk, index, places, group.rows)

  private def unlessDamaged[A](read: => A): Option[A] =
    try Option(read)
    catch { case NonFatal(_) => None }
}
