/**
 * Checks differences before Spark's decoders of DELTA_BYTE_ARRAY, DELTA_LENGTH_BYTE_ARRAY and
 * DELTA_BINARY_PACKED read them. These decoders allocate arrays for all counts of the header, and read a length
 * that the page does not have as 0.
 */
package shreddedvariant.parquet.read

import java.nio.ByteBuffer

import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.column.page.{DataPage, DataPageV1, DataPageV2, PageReadStore, PageReader}
import org.apache.parquet.io.ParquetDecodingException
import shreddedvariant.parquet.page.{DeltaBinaryPackedDecoder, PageBuffer, WrappedPages}

private[parquet] final class CheckedDifferences(pages: PageReadStore) extends WrappedPages(pages) {
  private val whole = new PageBuffer

  override protected def dataPage(reader: PageReader, column: ColumnDescriptor): DataPage = {
    val page = reader.readPage()
    if (page != null) {
      PageBytes.checkRows(page, column, whole)
      CheckedDifferences.check(page, column, whole, eachLength = true)
    }
    page
  }
}

private[parquet] object CheckedDifferences {

  /**
   * Checks a page, whose bytes are all in `buffer` or in an array of their own. Spark's decoder refuses a length
   * that is negative, parquet-java's does not: `eachLength` refuses it here.
   */
  def check(
      page: DataPage,
      column: ColumnDescriptor,
      buffer: PageBuffer,
      eachLength: Boolean = false
  ): Unit = {
    val encoding = encodingOf(page)
    if (ofDifferences(encoding)) {
      val count = page.getValueCount.toLong
      // For lengths, Spark's decoder takes four bytes of memory for each entry of a page, also for nulls.
      if (encoding != Encoding.DELTA_BINARY_PACKED && count > PageBytes.MaxEntries)
        throw new ParquetDecodingException(s"a page of $count values")
      val bytes = PageBytes(page, column.getMaxRepetitionLevel, column.getMaxDefinitionLevel, buffer)
      val first = new DeltaBinaryPackedDecoder(bytes.values.duplicate(), buffer, count)
      val values = present(bytes, column.getMaxDefinitionLevel, count)
      if (first.size < values)
        throw new ParquetDecodingException(s"${first.size} differences for $values values")
      if (encoding == Encoding.DELTA_LENGTH_BYTE_ARRAY && eachLength) checkLengths(first, bytes.values)
      if (encoding == Encoding.DELTA_BYTE_ARRAY) {
        first.skip(first.size.toLong)
        val suffixes = bytes.values.duplicate()
        suffixes.position(first.position - suffixes.arrayOffset)
        checkPrefixes(
          new DeltaBinaryPackedDecoder(bytes.values, buffer, count),
          new DeltaBinaryPackedDecoder(suffixes, buffer, count),
          bytes.values.remaining
        )
      }
    }
  }

  /** The number of entries of a page that are no nulls. */
  private def present(page: PageBytes, maxDefinition: Int, entries: Long): Long =
    if (maxDefinition == 0) entries
    else PageBytes.count(page.definitions, maxDefinition, entries, maxDefinition)

  private def checkLengths(lengths: DeltaBinaryPackedDecoder, values: ByteBuffer): Unit = {
    val sum = lengths.sums(new Array[Int](lengths.size + 1))
    if (sum > values.arrayOffset + values.limit() - lengths.position)
      throw new ParquetDecodingException(s"texts of $sum bytes end too early")
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

  private def encodingOf(page: DataPage): Encoding = page match {
    case page: DataPageV1 => page.getValueEncoding
    case page: DataPageV2 => page.getDataEncoding
    case _ => Encoding.PLAIN
  }

  private val ofDifferences =
    Set(Encoding.DELTA_BINARY_PACKED, Encoding.DELTA_LENGTH_BYTE_ARRAY, Encoding.DELTA_BYTE_ARRAY)
}
