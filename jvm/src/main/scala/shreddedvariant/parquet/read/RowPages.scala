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
 * pages then contain the values, unless these may be long.
 */
package shreddedvariant.parquet.read

import java.nio.ByteBuffer
import java.util.{Optional, PrimitiveIterator}

import org.apache.parquet.bytes.{BytesInput, BytesUtils}
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.column.page.{DataPage, DataPageV1, DictionaryPage, PageReadStore, PageReader}
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

  /** Maximal bytes of values that are copied out of a dictionary: many rows may have the same long value. */
  private[read] final val MaxCopied = 64L << 20

  /** Whether rows of a chunk can be cut out of its pages. */
  def cuts(group: RowGroup, leaf: LeafColumnReader): Boolean =
    takes(group, leaf) && group.chunk(leaf.path).exists(_.getValueCount <= PageBytes.MaxEntries)

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
      val dictionary = DictionaryValues(large, column.getPrimitiveType)
      if (dictionary.longest * rows.size <= RowPages.MaxCopied) {
        values = Some(dictionary)
        null
      } else dictionary.page(large.getEncoding)
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
    PageBytes.checkRows(page, column, buffer)
    while (span < rows.spans.size && rows.spans(span).until <= first) span += 1
    if (span == rows.spans.size) null
    else if (values.isEmpty && isSelected(page, first)) {
      buffer.needAll()
      CheckedDifferences.check(page, column, buffer)
      page
    } else {
      if (page.getValueCount < 0 || page.getValueCount > PageBytes.MaxEntries)
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
