/**
 * Checks the counts of differences before Spark's decoders of DELTA_BYTE_ARRAY, DELTA_LENGTH_BYTE_ARRAY and
 * DELTA_BINARY_PACKED allocate arrays for them.
 */
package shreddedvariant.parquet.read

import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.column.page.{DataPage, PageReadStore, PageReader}
import org.apache.parquet.io.ParquetDecodingException
import shreddedvariant.parquet.page.{DeltaBinaryPackedDecoder, PageBuffer, WrappedPages}

private[parquet] final class CheckedDifferences(pages: PageReadStore) extends WrappedPages(pages) {
  private val whole = new PageBuffer

  override protected def dataPage(reader: PageReader, column: ColumnDescriptor): DataPage = {
    val page = reader.readPage()
    if (page != null) check(page, column)
    page
  }

  private def check(page: DataPage, column: ColumnDescriptor): Unit = {
    val encoding = PlainPages.encodingOf(page)
    if (PlainPages.ofDifferences(encoding)) {
      val bytes = PageBytes(page, column.getMaxRepetitionLevel, column.getMaxDefinitionLevel, whole)
      val count = page.getValueCount.toLong
      val first = new DeltaBinaryPackedDecoder(bytes.values.duplicate(), whole, count)
      if (encoding == Encoding.DELTA_BYTE_ARRAY) {
        if (PlainPages.takesTooMuch(page)) throw new ParquetDecodingException(s"a page of $count values")
        first.skip(first.size.toLong)
        val suffixes = bytes.values.duplicate()
        suffixes.position(first.position - suffixes.arrayOffset)
        checkPrefixes(
          new DeltaBinaryPackedDecoder(bytes.values, whole, count),
          new DeltaBinaryPackedDecoder(suffixes, whole, count),
          bytes.values.remaining
        )
      }
    }
  }

  /**
   * Law: a value starts with a part of the previous value, so no prefix is longer than that value. The page has
   * the bytes of all suffixes.
   */
  private def checkPrefixes(
      prefixes: DeltaBinaryPackedDecoder,
      suffixes: DeltaBinaryPackedDecoder,
      bytes: Int
  ): Unit = {
    if (prefixes.size != suffixes.size)
      throw new ParquetDecodingException(s"${prefixes.size} prefixes and ${suffixes.size} suffixes")
    var length = 0L
    var remaining = bytes.toLong
    var i = 0
    while (i < prefixes.size) {
      val (prefix, suffix) = (prefixes.number(), suffixes.number())
      if (prefix < 0 || prefix > length || suffix < 0 || suffix > remaining)
        throw new ParquetDecodingException(
          s"a prefix of $prefix and a suffix of $suffix bytes after a value of $length bytes"
        )
      length = prefix + suffix
      remaining -= suffix
      i += 1
    }
  }
}
