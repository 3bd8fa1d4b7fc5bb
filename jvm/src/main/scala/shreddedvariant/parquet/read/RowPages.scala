/**
 * Cuts the selected rows out of pages, into pages with only these rows, so that the decoder decodes nothing
 * else.
 *
 * Spark's decoder can also select rows, but it unpacks all rows in between, which is most of the work if one
 * row of a thousand is selected. Here the rows in between are skipped: levels run by run, values by their
 * widths.
 *
 * Law: levels and values are copied unchanged, and only encoded again. The repetition levels show the entries
 * of a row, and the offset index of the file gives the first row of a page. A dictionary with more values than
 * selected rows is not passed to the decoder, because decoders create an object for each of its values: the
 * pages then contain the values.
 */
package shreddedvariant.parquet.read

import java.nio.ByteBuffer
import java.util.{Optional, PrimitiveIterator}

import org.apache.parquet.bytes.{BytesInput, BytesUtils}
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.column.page.{
  DataPage,
  DataPageV1,
  DataPageV2,
  DictionaryPage,
  PageReadStore,
  PageReader
}
import org.apache.parquet.io.ParquetDecodingException
import shreddedvariant.parquet.file.RowGroup
import shreddedvariant.parquet.page.{
  DictionaryValues,
  LookedUp,
  PackedNumbers,
  PageBuffer,
  RleDecoder,
  ValueCopy
}
import shreddedvariant.parquet.vector.LeafColumnReader
import shreddedvariant.stats.RowRanges

/**
 * `pages` are the pages that parquet-java reads for `rows` into `buffer`; each page has the index of its first
 * row.
 */
final class RowPages(pages: PageReadStore, rows: RowRanges, buffer: PageBuffer) extends PageReadStore {
  override def getPageReader(column: ColumnDescriptor): PageReader =
    new RowPageReader(pages.getPageReader(column), column, rows, buffer)
  override def getRowCount: Long = rows.size

  /** None, because the pages have only selected rows. */
  override def getRowIndexes: Optional[PrimitiveIterator.OfLong] = Optional.empty()
}

object RowPages {

  /**
   * Maximal entries of a page. A run of any length takes few bytes, but each copied entry takes four bytes of
   * memory.
   */
  private[parquet] final val MaxEntries = 1 << 24

  /** Whether rows of a chunk can be cut out of its pages. */
  def cuts(group: RowGroup, leaf: LeafColumnReader): Boolean =
    takes(group, leaf) && group.chunk(leaf.path).exists(_.getValueCount <= MaxEntries)

  /** Whether [[ValueCopy]] supports all encodings of the chunk. */
  def takes(group: RowGroup, leaf: LeafColumnReader): Boolean = group.chunk(leaf.path).exists { chunk =>
    val column = leaf.descriptor.getPrimitiveType
    chunk.getEncodings.stream.allMatch(e => levelEncodings.contains(e) || ValueCopy.takes(e, column))
  }

  private val levelEncodings = Set(Encoding.RLE, Encoding.valueOf("BIT_PACKED"))
}

private[parquet] final class RowPageReader(
    pages: PageReader,
    column: ColumnDescriptor,
    rows: RowRanges,
    buffer: PageBuffer
) extends PageReader {
  private val maxRepetition = column.getMaxRepetitionLevel
  private val maxDefinition = column.getMaxDefinitionLevel
  private var span = 0
  private var values: Option[DictionaryValues] = None

  override def readDictionaryPage(): DictionaryPage = pages.readDictionaryPage() match {
    case large: DictionaryPage if large.getDictionarySize > rows.size =>
      values = Some(DictionaryValues(large, column.getPrimitiveType))
      null
    case other => other
  }

  override def getTotalValueCount: Long = pages.getTotalValueCount

  override def readPage(): DataPage = {
    var page = pages.readPage()
    var result: DataPage = null
    while (page != null && result == null) {
      result = selectRows(page)
      if (result == null) page = pages.readPage()
    }
    result
  }

  /** The page with only the selected rows; null if no row of the page is selected. */
  private def selectRows(page: DataPage): DataPage = {
    if (!page.getFirstRowIndex.isPresent) throw new ParquetDecodingException("a page without its first row")
    val first = page.getFirstRowIndex.get.longValue
    if (
      maxRepetition == 0 && page.getIndexRowCount.isPresent && page.getIndexRowCount.get != page.getValueCount
    )
      throw new ParquetDecodingException(
        s"a page of ${page.getValueCount} values for ${page.getIndexRowCount.get} rows"
      )
    while (span < rows.spans.size && rows.spans(span).until <= first) span += 1
    if (span == rows.spans.size) null
    else if (values.isEmpty && isSelected(page, first)) {
      buffer.needAll()
      page
    } else {
      if (page.getValueCount < 0 || page.getValueCount > RowPages.MaxEntries)
        throw new ParquetDecodingException(s"a page of ${page.getValueCount} values")
      val bytes = PageBytes(page, maxRepetition, maxDefinition, buffer)
      val selection = new PagePart(column, bytes, page.getValueCount.toLong, values, buffer)
      selection.take(first, rows, span)
      selection.page
    }
  }

  private def isSelected(page: DataPage, first: Long) = {
    val size =
      if (maxRepetition == 0) page.getValueCount.toLong
      else if (page.getIndexRowCount.isPresent) page.getIndexRowCount.get.longValue
      else Long.MaxValue / 2
    rows.spans(span).from <= first && first + size <= rows.spans(span).until
  }
}

/** Copies the selected rows of one page, entry by entry. */
private[parquet] final class PagePart(
    column: ColumnDescriptor,
    source: PageBytes,
    entries: Long,
    dictionary: Option[DictionaryValues],
    buffer: PageBuffer
) {
  private val maxRepetition = column.getMaxRepetitionLevel
  private val maxDefinition = column.getMaxDefinitionLevel
  private val repetitions = new LevelCopy(source.repetitions, maxRepetition)
  private val definitions = new LevelCopy(source.definitions, maxDefinition)
  private val values = dictionary.filter(_ => source.encoding.usesDictionary) match {
    case Some(dictionary) =>
      buffer.needAll()
      new LookedUp(source.values, dictionary)
    case None => ValueCopy(source.encoding, column.getPrimitiveType, source.values, buffer, entries)
  }
  private var readEntries = 0L
  private var copiedEntries = 0L

  /** Copies the rows of the spans from `span` on that the page has. `first` is the first row of the page. */
  def take(first: Long, rows: RowRanges, span: Int): Unit = {
    var i = span
    var row = first
    while (i < rows.spans.size && readEntries < entries) {
      val selected = rows.spans(i)
      val skipped = math.max(selected.from - row, 0)
      skip(entriesOf(skipped, keep = false))
      row += skipped
      copy(entriesOf(selected.until - row, keep = true))
      row = selected.until
      i += 1
    }
  }

  def page: DataPage =
    if (copiedEntries == 0) null
    else {
      val bytes = BytesInput.concat(repetitions.copied, definitions.copied, values.copied)
      new DataPageV1(
        bytes,
        Math.toIntExact(copiedEntries),
        Math.toIntExact(bytes.size),
        null,
        Encoding.RLE,
        Encoding.RLE,
        values.encoding(source.encoding)
      )
    }

  private def entriesOf(rows: Long, keep: Boolean): Long =
    if (maxRepetition == 0) math.min(rows, entries - readEntries)
    else repetitions.runs.rows(rows, entries - readEntries, if (keep) repetitions.taken else null)

  private def skip(n: Long): Unit = {
    readEntries += n
    values.skip(if (maxDefinition == 0) n else definitions.runs.count(n, maxDefinition))
  }

  private def copy(n: Long): Unit = {
    readEntries += n
    copiedEntries += n
    values.copy(if (maxDefinition == 0) n else definitions.runs.copy(n, definitions.taken, maxDefinition))
  }
}

/** The levels of a page, and the copied levels; both null if the column has no such levels. */
private[parquet] final class LevelCopy(bytes: ByteBuffer, max: Int) {
  private val width = BytesUtils.getWidthFromMaxInt(max)
  val runs: RleDecoder = if (max == 0) null else new RleDecoder(bytes, width)
  val taken: PackedNumbers = if (max == 0) null else new PackedNumbers(width)

  def copied: BytesInput =
    if (max == 0) BytesInput.empty
    else {
      val encoded = taken.bytes
      BytesInput.concat(BytesInput.fromInt(encoded.size.toInt), encoded)
    }
}

/** The three parts of a page. In a page of version 1, they are in one array, from `start` on. */
private[parquet] final case class PageBytes(
    start: Int,
    repetitions: ByteBuffer,
    definitions: ByteBuffer,
    values: ByteBuffer,
    encoding: Encoding
)

private[parquet] object PageBytes {
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
}
