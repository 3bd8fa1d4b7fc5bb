/** Spans of rows as parquet-java wants them, and what they mean for the pages of a leaf. */
package shreddedvariant.parquet.read

import java.util.PrimitiveIterator
import java.util.stream.IntStream

import org.apache.parquet.internal.column.columnindex.OffsetIndex
import org.apache.parquet.internal.filter2.columnindex.{RowRanges => ParquetRowRanges}
import shreddedvariant.parquet.vector.BatchPosition
import shreddedvariant.stats.{RowRange, RowRanges}

object RowSelection {

  /** Any rows can be told to parquet-java, as pages of an index that is not one of the file. */
  def ranges(rows: RowRanges, rowsInGroup: Long): ParquetRowRanges = {
    val pages: PrimitiveIterator.OfInt = IntStream.range(0, rows.spans.size).iterator()
    ParquetRowRanges.create(rowsInGroup, pages, new SpanIndex(rows.spans))
  }

  /** Spans stand in rows and nowhere in the file: ParquetRowRanges asks for nothing else. */
  private final class SpanIndex(spans: IndexedSeq[RowRange]) extends OffsetIndex {
    override def getPageCount: Int = spans.size
    override def getFirstRowIndex(page: Int): Long = spans(page).from
    override def getLastRowIndex(page: Int, rowsInGroup: Long): Long = spans(page).until - 1
    override def getOffset(page: Int): Long = noPlace
    override def getCompressedPageSize(page: Int): Int = noPlace
    override def getPageOrdinal(page: Int): Int = page
    private def noPlace = throw new IllegalStateException("a span of rows has no place in the file")
  }

  /** Pages and bytes of a leaf that are read for some rows, and those that are not. */
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

/** The numbers of the rows of each batch, within their file. */
final class RowCursor(firstRow: Long, rows: RowRanges) {
  private var span = 0
  private var offset = 0L

  /** Sets `place` to the next `count` rows. */
  def next(count: Int, place: BatchPosition): Unit =
    if (rows.spans(span).size - offset >= count) {
      place.startAt(firstRow + rows.spans(span).from + offset)
      advance(count)
    } else {
      val numbers = new Array[Long](count)
      for (i <- 0 until count) {
        numbers(i) = firstRow + rows.spans(span).from + offset
        advance(1)
      }
      place.startAt(numbers)
    }

  private def advance(count: Int): Unit = {
    offset += count
    if (offset == rows.spans(span).size && span + 1 < rows.spans.size) { span += 1; offset = 0 }
  }
}
