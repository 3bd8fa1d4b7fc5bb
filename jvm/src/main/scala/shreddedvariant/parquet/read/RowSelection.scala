/** Converts row ranges for parquet-java, and counts the pages and bytes of a leaf that they need. */
package shreddedvariant.parquet.read

import java.util.PrimitiveIterator
import java.util.stream.IntStream

import org.apache.parquet.internal.column.columnindex.OffsetIndex
import org.apache.parquet.internal.filter2.columnindex.{RowRanges => ParquetRowRanges}
import shreddedvariant.parquet.vector.BatchPosition
import shreddedvariant.stats.{RowRange, RowRanges}

object RowSelection {

  /** Selects any rows in parquet-java, by an offset index that has a page for each span. */
  def ranges(rows: RowRanges, rowsInGroup: Long): ParquetRowRanges = {
    val pages: PrimitiveIterator.OfInt = IntStream.range(0, rows.spans.size).iterator()
    ParquetRowRanges.create(rowsInGroup, pages, new SpanIndex(rows.spans))
  }

  /** Has row numbers but no file offsets, which `ParquetRowRanges` does not use. */
  private final class SpanIndex(spans: IndexedSeq[RowRange]) extends OffsetIndex {
    override def getPageCount: Int = spans.size
    override def getFirstRowIndex(page: Int): Long = spans(page).from
    override def getLastRowIndex(page: Int, rowsInGroup: Long): Long = spans(page).until - 1
    override def getOffset(page: Int): Long = noOffset
    override def getCompressedPageSize(page: Int): Int = noOffset
    override def getPageOrdinal(page: Int): Int = page
    private def noOffset = throw new IllegalStateException("a row range has no offset in the file")
  }

  /** The pages and bytes of a leaf that are read for the rows, and those that are skipped. */
  def cost(rows: RowRanges, pages: OffsetIndex, rowsInGroup: Long): PageCost = {
    var (read, bytes) = (0L, 0L)
    for (page <- 0 until pages.getPageCount)
      if (
        rows.overlaps(RowRange(pages.getFirstRowIndex(page), pages.getLastRowIndex(page, rowsInGroup) + 1))
      ) {
        read += 1
        bytes += pages.getCompressedPageSize(page)
      }
    val all = (0 until pages.getPageCount).iterator.map(pages.getCompressedPageSize(_).toLong).sum
    PageCost(read, pages.getPageCount - read, bytes, all - bytes)
  }
}

final case class PageCost(pagesRead: Long, pagesSkipped: Long, bytesRead: Long, bytesSkipped: Long)

/** Gives the row numbers in the file of each batch of selected rows. */
final class RowCursor(firstRow: Long, rows: RowRanges) {
  private var span = 0
  private var offset = 0L

  /** Sets `position` to the next `count` rows. */
  def next(count: Int, position: BatchPosition): Unit =
    if (rows.spans(span).size - offset >= count) {
      position.startAt(firstRow + rows.spans(span).from + offset)
      advance(count)
    } else {
      val numbers = new Array[Long](count)
      for (i <- 0 until count) {
        numbers(i) = firstRow + rows.spans(span).from + offset
        advance(1)
      }
      position.startAt(numbers)
    }

  private def advance(count: Int): Unit = {
    offset += count
    if (offset == rows.spans(span).size && span + 1 < rows.spans.size) { span += 1; offset = 0 }
  }
}
