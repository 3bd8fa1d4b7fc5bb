/** Checks the offset index of a leaf: the places and first rows of its pages. */
package shreddedvariant.parquet.file

import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.internal.column.columnindex.OffsetIndex
import org.apache.parquet.io.ParquetDecodingException

private[parquet] object PageLocations {

  /**
   * Law: the first rows of pages ascend from 0, and all pages together have at most the bytes of their chunk. So
   * a read of any pages takes no more memory than a read of the chunk.
   */
  def check(chunk: ColumnChunkMetaData, pages: OffsetIndex, rows: Long): Unit = {
    val (start, size) = (chunk.getStartingPos, chunk.getTotalSize)
    var (row, sum) = (0L, 0L)
    for (page <- 0 until pages.getPageCount) {
      val (first, offset, length) =
        (pages.getFirstRowIndex(page), pages.getOffset(page), pages.getCompressedPageSize(page).toLong)
      sum += length
      if (
        first < row || first > rows || page == 0 && first != 0 ||
        length < 0 || sum > size || offset < start || offset - start > size - length
      )
        throw new ParquetDecodingException(
          s"its offset index has a page of $length bytes at $offset that starts with row $first"
        )
      row = first
    }
    if (pages.getPageCount == 0) throw new ParquetDecodingException("its offset index has no pages")
  }
}
