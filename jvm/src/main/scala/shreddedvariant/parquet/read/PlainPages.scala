/**
 * Converts DELTA_BINARY_PACKED pages to PLAIN pages with the same numbers, which Spark's decoder copies as a
 * whole.
 *
 * Spark's decoder reads DELTA_BINARY_PACKED with a call for each number; the conversion of a page is a loop
 * over words.
 */
package shreddedvariant.parquet.read

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.column.page.{DataPage, DataPageV1, PageReadStore, PageReader}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.INT32
import shreddedvariant.parquet.page.{DeltaBinaryPackedDecoder, PageBuffer, WrappedPages}

/** The pages are in `buffer`. Converted pages are written to `plain`, each over the previous one. */
private[parquet] final class PlainPages(pages: PageReadStore, buffer: PageBuffer, plain: PageBuffer)
    extends WrappedPages(pages) {
  override protected def dataPage(reader: PageReader, column: ColumnDescriptor): DataPage =
    reader.readPage() match {
      case page: DataPageV1 if page.getValueEncoding == Encoding.DELTA_BINARY_PACKED => asPlain(page, column)
      case page if page != null => CheckedDifferences.check(page, column, buffer); page
      case _ => null
    }

  private def asPlain(page: DataPageV1, column: ColumnDescriptor): DataPage = {
    val bytes = PageBytes(page, column.getMaxRepetitionLevel, column.getMaxDefinitionLevel, buffer)
    val width = if (column.getPrimitiveType.getPrimitiveTypeName == INT32) 4 else 8
    val numbers = new DeltaBinaryPackedDecoder(bytes.values, buffer, page.getValueCount.toLong)
    val levels = bytes.values.arrayOffset - bytes.start
    val size = levels + numbers.size.toLong * width
    if (size > PlainPages.MaxSize) {
      val stored = levels + bytes.values.limit()
      copyOf(page, BytesInput.from(bytes.values.array, bytes.start, stored), stored, page.getValueEncoding)
    } else {
      val to = plain.ofSize(size.toInt)
      System.arraycopy(bytes.values.array, bytes.start, to, 0, levels)
      numbers.writeAll(to, levels, width)
      copyOf(page, BytesInput.from(to, 0, size.toInt), size.toInt, Encoding.PLAIN)
    }
  }

  private def copyOf(page: DataPageV1, bytes: BytesInput, size: Int, encoding: Encoding) =
    new DataPageV1(
      bytes,
      page.getValueCount,
      size,
      page.getStatistics,
      page.getRlEncoding,
      page.getDlEncoding,
      encoding
    )
}

private[parquet] object PlainPages {

  /**
   * Equal differences take no bytes, so a small page may become huge. Pages above this size are left to Spark's
   * decoder.
   */
  private final val MaxSize = 64L << 20
}
