/** Single values of a dictionary, read from its page. */
package shreddedvariant.parquet.page

import java.io.ByteArrayOutputStream
import java.nio.{ByteBuffer, ByteOrder}
import java.util.{Optional, PrimitiveIterator}

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.column.page.{DataPage, DictionaryPage, PageReadStore, PageReader}
import org.apache.parquet.io.ParquetDecodingException
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.shred.DictionaryTexts

/**
 * Values as PLAIN has them: `width` bytes each, or, of binaries, the one of an id from `starts(id)` until the next one begins.
 */
private[parquet] final class DictionaryValues(
    val bytes: Array[Byte],
    val size: Int,
    width: Int,
    starts: Array[Int]
) {
  private def start(id: Int) = if (starts == null) id * width else starts(id)

  /** Of binaries: behind their lengths. */
  def textStart(id: Int): Int = start(id) + 4
  def textEnd(id: Int): Int = start(id + 1)

  def write(id: Int, out: ByteArrayOutputStream): Unit = {
    check(id)
    out.write(bytes, start(id), start(id + 1) - start(id))
  }

  def check(id: Int): Unit =
    if (id < 0 || id >= size)
      throw new ParquetDecodingException(s"a dictionary of $size values has none at $id")
}

private[parquet] object DictionaryValues {
  def apply(page: DictionaryPage, column: PrimitiveType): DictionaryValues = {
    val bytes = page.getBytes.toInputStream.readAllBytes()
    val size = page.getDictionarySize
    // Each value takes at least its length, or a fixed number of bytes.
    val width = fixed(column).getOrElse(4)
    if (size < 0 || width.toLong * size > bytes.length) endsTooEarly(size)
    new DictionaryValues(bytes, size, width, if (fixed(column).isEmpty) ofBinaries(bytes, size) else null)
  }

  private def fixed(column: PrimitiveType): Option[Int] = column.getPrimitiveTypeName match {
    case BINARY => None
    case INT32 | FLOAT => Some(4)
    case INT64 | DOUBLE => Some(8)
    case INT96 => Some(12)
    case FIXED_LEN_BYTE_ARRAY => Some(column.getTypeLength)
    case BOOLEAN => throw new ParquetDecodingException("a dictionary of booleans")
  }

  private def ofBinaries(bytes: Array[Byte], size: Int): Array[Int] = {
    val lengths = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
    val starts = new Array[Int](size + 1)
    var at = 0
    var id = 0
    while (id < size) {
      if (bytes.length - at < 4) endsTooEarly(size)
      val length = lengths.getInt(at)
      if (length < 0 || length > bytes.length - at - 4) endsTooEarly(size)
      at += 4 + length
      id += 1
      starts(id) = at
    }
    starts
  }

  private def endsTooEarly(size: Int) =
    throw new ParquetDecodingException(s"a dictionary of $size values ends too early")
}

/** The texts of the dictionary that a leaf has in a row group, each made when it is asked for. */
private[parquet] final class LeafTexts extends DictionaryTexts {
  private var values: DictionaryValues = _
  private var made: Array[UTF8String] = _

  override def isKnown: Boolean = values != null
  override def bytes: Array[Byte] = values.bytes
  override def start(id: Int): Int = values.textStart(id)
  override def end(id: Int): Int = values.textEnd(id)

  override def text(id: Int): UTF8String = {
    val known = made
    if (known != null && id >= 0 && id < known.length && known(id) != null) known(id) else make(id)
  }

  private def make(id: Int): UTF8String = {
    if (made == null) made = new Array[UTF8String](values.size)
    if (id < 0 || id >= made.length) null
    else {
      made(id) = UTF8String.fromBytes(bytes, start(id), end(id) - start(id))
      made(id)
    }
  }

  /** Null where the row group has no dictionary. */
  def are(values: DictionaryValues): Unit = {
    this.values = values
    made = null
  }
}

/**
 * The pages of a leaf in a row group as they go to Spark's decoder. It looks values of dictionaries up when somebody asks
 * for them, and leaves vectors as they were where pages end: so the dictionary is kept and checked, and so is the end.
 */
private[parquet] final class CheckedPages(pages: PageReadStore) extends PageReadStore {
  private var values: DictionaryValues = _

  /** The dictionary once it is read, null where there is none. */
  def dictionary: DictionaryValues = values

  override def getPageReader(column: ColumnDescriptor): PageReader = {
    val reader = pages.getPageReader(column)
    new PageReader {
      override def readDictionaryPage(): DictionaryPage = {
        val page = reader.readDictionaryPage()
        if (page == null) null
        else {
          values = DictionaryValues(page, column.getPrimitiveType)
          // The bytes of the page may have come out of a stream, which is at its end.
          new DictionaryPage(BytesInput.from(values.bytes: Array[Byte]), values.size, page.getEncoding)
        }
      }
      override def getTotalValueCount: Long = reader.getTotalValueCount
      override def readPage(): DataPage = {
        val page = reader.readPage()
        // Of lists nothing but the end of the pages tells that the last one is complete: see [[Spaces]].
        if (page == null && column.getMaxRepetitionLevel == 0)
          throw new ParquetDecodingException("its pages hold fewer rows than the row group has")
        page
      }
    }
  }
  override def getRowCount: Long = pages.getRowCount
  override def getRowIndexes: Optional[PrimitiveIterator.OfLong] = pages.getRowIndexes
}

/** Dictionary ids, instead of which the values are copied. */
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
    var left = values
    while (left > 0) {
      dictionary.write(if (runs == null) 0 else runs.next(), out)
      left -= 1
    }
  }

  override def copied: BytesInput = BytesInput.from(out)
  override def encoding(ofPage: Encoding): Encoding = Encoding.PLAIN
}
