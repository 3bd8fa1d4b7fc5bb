/** Reads single values from a dictionary page, and checks the pages that go to Spark's decoder. */
package shreddedvariant.parquet.page

import java.io.ByteArrayOutputStream
import java.nio.{ByteBuffer, ByteOrder}
import java.util.Arrays

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.column.page.{DataPage, DictionaryPage, PageReadStore, PageReader}
import org.apache.parquet.io.ParquetDecodingException
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.shred.DictionaryTexts

/**
 * The values of a dictionary in PLAIN encoding. Fixed-size values have `width` bytes each; the binary value
 * with the number `id` starts at `starts(id)` and ends at `starts(id + 1)`.
 */
private[parquet] final class DictionaryValues(
    val bytes: Array[Byte],
    val size: Int,
    width: Int,
    starts: Array[Int]
) {
  private def start(id: Int) = if (starts == null) id * width else starts(id)

  /** The bytes of a value, for binaries without its length. */
  def value(id: Int): Array[Byte] =
    Arrays.copyOfRange(bytes, start(id) + (if (starts == null) 0 else 4), start(id + 1))

  /** A page over the copied bytes, because those of the page that was read may come from a stream at its end. */
  def page(encoding: Encoding): DictionaryPage =
    new DictionaryPage(BytesInput.from(bytes: Array[Byte]), size, encoding)

  /** The size of the longest value, for binaries with its length. */
  def longest: Long = {
    var most = 0
    var id = 0
    while (id < size) {
      most = math.max(most, start(id + 1) - start(id))
      id += 1
    }
    most.toLong
  }

  /** For binaries: the start of the text, after its length. */
  def textStart(id: Int): Int = start(id) + 4
  def textEnd(id: Int): Int = start(id + 1)

  def write(id: Int, out: ByteArrayOutputStream): Unit = {
    check(id)
    out.write(bytes, start(id), start(id + 1) - start(id))
  }

  def check(id: Int): Unit =
    if (id < 0 || id >= size)
      throw new ParquetDecodingException(s"a dictionary of $size values has no value with the id $id")
}

private[parquet] object DictionaryValues {
  def apply(page: DictionaryPage, column: PrimitiveType): DictionaryValues = {
    val bytes = page.getBytes.toInputStream.readAllBytes()
    val size = page.getDictionarySize
    // Each value takes a fixed number of bytes, or at least the four bytes of its length.
    val width = fixedSize(column).getOrElse(4)
    if (size < 0 || width.toLong * size > bytes.length) endsTooEarly(size)
    new DictionaryValues(
      bytes,
      size,
      width,
      if (fixedSize(column).isEmpty) binaryStarts(bytes, size) else null
    )
  }

  private def fixedSize(column: PrimitiveType): Option[Int] = column.getPrimitiveTypeName match {
    case BINARY => None
    case INT32 | FLOAT => Some(4)
    case INT64 | DOUBLE => Some(8)
    case INT96 => Some(12)
    case FIXED_LEN_BYTE_ARRAY => Some(column.getTypeLength)
    case BOOLEAN => throw new ParquetDecodingException("a dictionary of booleans")
  }

  private def binaryStarts(bytes: Array[Byte], size: Int): Array[Int] = {
    val lengths = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
    val starts = new Array[Int](size + 1)
    var offset = 0
    var id = 0
    while (id < size) {
      if (bytes.length - offset < 4) endsTooEarly(size)
      val length = lengths.getInt(offset)
      if (length < 0 || length > bytes.length - offset - 4) endsTooEarly(size)
      offset += 4 + length
      id += 1
      starts(id) = offset
    }
    starts
  }

  private def endsTooEarly(size: Int) =
    throw new ParquetDecodingException(s"a dictionary of $size values ends too early")
}

/** The texts of a leaf's dictionary in the current row group. Each `UTF8String` is created on first use. */
private[parquet] final class LeafTexts extends DictionaryTexts {
  private var values: DictionaryValues = _
  private var texts: Array[UTF8String] = _

  override def isKnown: Boolean = values != null
  override def bytes: Array[Byte] = values.bytes
  override def start(id: Int): Int = values.textStart(id)
  override def end(id: Int): Int = values.textEnd(id)

  override def text(id: Int): UTF8String = {
    val cached = texts
    if (cached != null && id >= 0 && id < cached.length && cached(id) != null) cached(id) else make(id)
  }

  private def make(id: Int): UTF8String = {
    if (texts == null) texts = new Array[UTF8String](values.size)
    if (id < 0 || id >= texts.length) null
    else {
      texts(id) = UTF8String.fromBytes(bytes, start(id), end(id) - start(id))
      texts(id)
    }
  }

  /** Sets the dictionary of the current row group; null if the leaf has no dictionary there. */
  def are(values: DictionaryValues): Unit = {
    this.values = values
    texts = null
  }
}

/**
 * The pages of a leaf in a row group, as Spark's decoder receives them. Spark's decoder looks up dictionary
 * values only on access, and leaves vectors unchanged if pages are missing. So this class keeps and checks the
 * dictionary, and fails if pages are missing.
 */
private[parquet] final class CheckedPages(pages: PageReadStore) extends WrappedPages(pages) {
  private var values: DictionaryValues = _

  /** Null before the dictionary page is read, and if there is none. */
  def dictionary: DictionaryValues = values

  override protected def dictionaryPage(reader: PageReader, column: ColumnDescriptor): DictionaryPage = {
    val page = reader.readDictionaryPage()
    if (page == null) null
    else {
      values = DictionaryValues(page, column.getPrimitiveType)
      values.page(page.getEncoding)
    }
  }

  override protected def dataPage(reader: PageReader, column: ColumnDescriptor): DataPage = {
    val page = reader.readPage()
    // For lists, the end of the pages is the only sign that the last list is complete: see `Spaces`.
    if (page == null && column.getMaxRepetitionLevel == 0)
      throw new ParquetDecodingException("its pages hold fewer rows than the row group has")
    page
  }
}

/** Dictionary ids: the values that the ids refer to are copied. */
private[parquet] final class LookedUp(ids: ByteBuffer, dictionary: DictionaryValues) extends ValueCopy {
  private val isEmpty = !ids.hasRemaining
  private val runs = ValueCopy.idWidth(ids) match {
    case 0 => null
    case width => new RleDecoder(ids, width)
  }
  private val out = new ByteArrayOutputStream(256)

  override def skip(values: Long): Unit = if (runs != null) runs.skip(values)

  override def copy(values: Long): Unit = {
    if (isEmpty && values > 0) throw new ParquetDecodingException("dictionary ids end too early")
    var remaining = values
    while (remaining > 0) {
      dictionary.write(if (runs == null) 0 else runs.next(), out)
      remaining -= 1
    }
  }

  override def copied: BytesInput = BytesInput.from(out)
  override def encoding(ofPage: Encoding): Encoding = Encoding.PLAIN
}
