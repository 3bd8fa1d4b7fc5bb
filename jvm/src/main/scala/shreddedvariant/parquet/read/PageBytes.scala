/** The levels and the values of a page, as buffers over arrays. */
package shreddedvariant.parquet.read

import java.nio.ByteBuffer

import org.apache.parquet.bytes.{BytesInput, BytesUtils}
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.column.page.{DataPage, DataPageV1, DataPageV2}
import org.apache.parquet.io.ParquetDecodingException
import shreddedvariant.parquet.page.{PageBuffer, RleDecoder}

/** The three parts of a page. In a page of version 1, they are in one array, from `start` on. */
private[parquet] final case class PageBytes(
    start: Int,
    repetitions: ByteBuffer,
    definitions: ByteBuffer,
    values: ByteBuffer,
    encoding: Encoding
)

private[parquet] object PageBytes {

  /**
   * Maximal entries of a page. A run of any length takes few bytes, but each copied entry takes four bytes of
   * memory.
   */
  final val MaxEntries = 1 << 24

  private val none = ByteBuffer.allocate(0)

  /** Decompresses the levels. Callers call `buffer.need` before they read values. */
  def apply(page: DataPage, maxRepetition: Int, maxDefinition: Int, buffer: PageBuffer): PageBytes =
    page match {
      case page: DataPageV1 =>
        val bytes = buffered(page.getBytes)
        val start = bytes.arrayOffset + bytes.position()
        def need(length: Int) = {
          val offset = bytes.arrayOffset + bytes.position()
          buffer.need(offset, offset + math.min(length, bytes.remaining))
        }
        def levels(max: Int, encoding: Encoding) =
          if (max == 0) none
          else if (encoding != Encoding.RLE)
            throw new ParquetDecodingException(s"levels encoded as $encoding")
          else {
            need(4)
            if (bytes.remaining < 4) throw new ParquetDecodingException("levels end too early")
            val length = java.lang.Integer.reverseBytes(bytes.getInt())
            need(length)
            part(bytes, length)
          }
        val repetitions = levels(maxRepetition, page.getRlEncoding)
        val definitions = levels(maxDefinition, page.getDlEncoding)
        PageBytes(start, repetitions, definitions, bytes.slice(), page.getValueEncoding)
      case page: DataPageV2 =>
        buffer.needAll()
        PageBytes(
          0,
          buffered(page.getRepetitionLevels),
          buffered(page.getDefinitionLevels),
          buffered(page.getData),
          page.getDataEncoding
        )
      case other => throw new ParquetDecodingException(s"a page of the kind ${other.getClass.getSimpleName}")
    }

  /** The bytes in an array, from which values can be copied. */
  private def buffered(bytes: BytesInput): ByteBuffer = {
    val stream = bytes.toInputStream
    val buffer = stream.slice(stream.available)
    if (buffer.hasArray) buffer
    else {
      val copy = new Array[Byte](buffer.remaining)
      buffer.get(copy)
      ByteBuffer.wrap(copy)
    }
  }

  private def part(bytes: ByteBuffer, length: Int): ByteBuffer = {
    if (length < 0 || length > bytes.remaining) throw new ParquetDecodingException("levels end too early")
    val part = bytes.slice(bytes.position(), length)
    bytes.position(bytes.position() + length)
    part
  }

  /** Law: a page has the rows of the offset index, so each value is that of its row. */
  def checkRows(page: DataPage, column: ColumnDescriptor, buffer: PageBuffer): Unit =
    if (page.getIndexRowCount.isPresent) {
      val maxRepetition = column.getMaxRepetitionLevel
      val entries = page.getValueCount.toLong
      def levels = PageBytes(page, maxRepetition, column.getMaxDefinitionLevel, buffer).repetitions
      val rows =
        if (maxRepetition == 0) entries else count(levels, maxRepetition, entries, 0)
      if (rows != page.getIndexRowCount.get.longValue)
        throw new ParquetDecodingException(
          s"a page of $entries values has $rows rows instead of ${page.getIndexRowCount.get}"
        )
    }

  /** How many of the levels of `entries` equal `level`. */
  def count(levels: ByteBuffer, max: Int, entries: Long, level: Int): Long =
    new RleDecoder(levels, BytesUtils.getWidthFromMaxInt(max)).count(entries, level)
}
