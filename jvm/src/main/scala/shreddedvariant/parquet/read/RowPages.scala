/**
 * Pages of which single rows are wanted → pages of just these rows, for a decoder that then decodes nothing else.
 *
 * Spark's decoder can be told of rows too, and unpacks all those between them; where one row of a thousand is wanted, that
 * is most of the work. Here what is between is passed over: runs of levels as a whole, values by their widths.
 *
 * Law: an entry's levels and value go out as they came in, encoded anew; which entries belong to a row, the repetition
 * levels say, and where a page's first row stands, the file's offset index. A dictionary that has more values than rows
 * are wanted is not handed on, because decoders make an object of each of its values: pages then have their own.
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

/** The pages of a row group as parquet-java reads them for `rows`, into `buffer`: each says which row is its first. */
final class RowPages(pages: PageReadStore, rows: RowRanges, buffer: PageBuffer) extends PageReadStore {
  override def getPageReader(column: ColumnDescriptor): PageReader =
    new RowPageReader(pages.getPageReader(column), column, rows, buffer)
  override def getRowCount: Long = rows.size

  /** None: there is no row left to pass over. */
  override def getRowIndexes: Optional[PrimitiveIterator.OfLong] = Optional.empty()
}

object RowPages {

  /** Entries of a page of which rows can be cut out: a run takes few bytes for any number, and here each takes four. */
  private[parquet] final val MostEntries = 1 << 24

  /** Whether rows of a chunk can be cut out of its pages. */
  def cuts(group: RowGroup, leaf: LeafColumnReader): Boolean =
    takes(group, leaf) && group.chunk(leaf.path).exists(_.getValueCount <= MostEntries)

  /** Whether a chunk has no encoding in which values rest on those before them. */
  def takes(group: RowGroup, leaf: LeafColumnReader): Boolean = group.chunk(leaf.path).exists { chunk =>
    val column = leaf.descriptor.getPrimitiveType
    chunk.getEncodings.stream.allMatch(e => ofLevels.contains(e) || ValueCopy.takes(e, column))
  }

  private val ofLevels = Set(Encoding.RLE, Encoding.valueOf("BIT_PACKED"))
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
    var found: DataPage = null
    while (page != null && found == null) {
      found = withRows(page)
      if (found == null) page = pages.readPage()
    }
    found
  }

  /** Null where no row of the page is wanted. */
  private def withRows(page: DataPage): DataPage = {
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
    else if (values.isEmpty && isWanted(page, first)) {
      buffer.needAll()
      page
    } else {
      if (page.getValueCount < 0 || page.getValueCount > RowPages.MostEntries)
        throw new ParquetDecodingException(s"a page of ${page.getValueCount} values")
      val bytes = PageBytes(page, maxRepetition, maxDefinition, buffer)
      val part = new PagePart(column, bytes, page.getValueCount.toLong, values, buffer)
      part.take(first, rows, span)
      part.page
    }
  }

  private def isWanted(page: DataPage, first: Long) = {
    val size =
      if (maxRepetition == 0) page.getValueCount.toLong
      else if (page.getIndexRowCount.isPresent) page.getIndexRowCount.get.longValue
      else Long.MaxValue / 2
    rows.spans(span).from <= first && first + size <= rows.spans(span).until
  }
}

/** The rows of one page that are wanted, put together entry by entry. */
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
  private var passed = 0L
  private var taken = 0L

  /** Takes the rows of all spans from `span` on, as far as the page has them; `first` is the page's first row. */
  def take(first: Long, rows: RowRanges, span: Int): Unit = {
    var i = span
    var row = first
    while (i < rows.spans.size && passed < entries) {
      val wanted = rows.spans(i)
      val skipped = math.max(wanted.from - row, 0)
      skip(entriesOf(skipped, keep = false))
      row += skipped
      copy(entriesOf(wanted.until - row, keep = true))
      row = wanted.until
      i += 1
    }
  }

  def page: DataPage =
    if (taken == 0) null
    else {
      val bytes = BytesInput.concat(repetitions.copied, definitions.copied, values.copied)
      new DataPageV1(
        bytes,
        Math.toIntExact(taken),
        Math.toIntExact(bytes.size),
        null,
        Encoding.RLE,
        Encoding.RLE,
        values.encoding(source.encoding)
      )
    }

  private def entriesOf(rows: Long, keep: Boolean): Long =
    if (maxRepetition == 0) math.min(rows, entries - passed)
    else repetitions.runs.rows(rows, entries - passed, if (keep) repetitions.taken else null)

  private def skip(n: Long): Unit = {
    passed += n
    values.skip(if (maxDefinition == 0) n else definitions.runs.count(n, maxDefinition))
  }

  private def copy(n: Long): Unit = {
    passed += n
    taken += n
    values.copy(if (maxDefinition == 0) n else definitions.runs.copy(n, definitions.taken, maxDefinition))
  }
}

/** Levels of a page and those that are taken of them; neither where a column has none. */
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

/** The three parts of a page; of version 1 they stand in one array, from `start` on. */
private[parquet] final case class PageBytes(
    start: Int,
    repetitions: ByteBuffer,
    definitions: ByteBuffer,
    values: ByteBuffer,
    encoding: Encoding
)

private[parquet] object PageBytes {
  private val none = ByteBuffer.allocate(0)

  /** The levels are in the buffer, what is needed of the values is to be asked of it. */
  def apply(page: DataPage, maxRepetition: Int, maxDefinition: Int, buffer: PageBuffer): PageBytes =
    page match {
      case page: DataPageV1 =>
        val bytes = of(page.getBytes)
        val start = bytes.arrayOffset + bytes.position()
        def need(length: Int) = {
          val at = bytes.arrayOffset + bytes.position()
          buffer.need(at, at + math.min(length, bytes.remaining))
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
          of(page.getRepetitionLevels),
          of(page.getDefinitionLevels),
          of(page.getData),
          page.getDataEncoding
        )
      case other => throw new ParquetDecodingException(s"a page of the kind ${other.getClass.getSimpleName}")
    }

  /** In an array: values are copied out of it. */
  private def of(bytes: BytesInput): ByteBuffer = {
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
