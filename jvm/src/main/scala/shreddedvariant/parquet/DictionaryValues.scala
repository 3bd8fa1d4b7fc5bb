/** Single values of a dictionary, found where they stand in its page. */
package shreddedvariant.parquet

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

/** Values as PLAIN has them: the one of an id begins at `starts(id)` and ends where the next one begins. */
private final class DictionaryValues(val bytes: Array[Byte], starts: Array[Int]) {

  /** Of binaries: behind their lengths. */
  def textStart(id: Int): Int = starts(id) + 4
  def textEnd(id: Int): Int = starts(id + 1)
  def size: Int = starts.length - 1

  def write(id: Int, out: ByteArrayOutputStream): Unit = {
    if (id < 0 || id + 1 >= starts.length)
      throw new ParquetDecodingException(s"a dictionary of ${starts.length - 1} values has none at $id")
    out.write(bytes, starts(id), starts(id + 1) - starts(id))
  }
}

private object DictionaryValues {
  def apply(page: DictionaryPage, column: PrimitiveType): DictionaryValues = {
    val bytes = page.getBytes.toInputStream.readAllBytes()
    val size = page.getDictionarySize
    // Each value takes at least its length, or a fixed number of bytes.
    val fewest = fixed(column).getOrElse(4).toLong * size
    if (size < 0 || fewest > bytes.length) endsTooEarly(size)
    val starts = fixed(column).fold(ofBinaries(bytes, size))(width => Array.tabulate(size + 1)(_ * width))
    new DictionaryValues(bytes, starts)
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

/** The texts of the dictionary that a leaf has in a row group, looked for when the first one is asked for. */
private final class LeafTexts(column: PrimitiveType) extends DictionaryTexts {
  private var page: DictionaryPage = _
  private var values: DictionaryValues = _
  private var made: Array[UTF8String] = _

  override def isKnown: Boolean = page != null
  override def bytes: Array[Byte] = found.bytes
  override def start(id: Int): Int = found.textStart(id)
  override def end(id: Int): Int = found.textEnd(id)

  override def text(id: Int): UTF8String = {
    val known = made
    if (known != null && id >= 0 && id < known.length && known(id) != null) known(id) else make(id)
  }

  private def make(id: Int): UTF8String = {
    if (made == null) made = new Array[UTF8String](found.size)
    if (id < 0 || id >= made.length) null
    else {
      made(id) = UTF8String.fromBytes(bytes, start(id), end(id) - start(id))
      made(id)
    }
  }

  private def found: DictionaryValues = {
    if (values == null) values = DictionaryValues(page, column)
    values
  }

  /** The pages of a row group, whose dictionary is kept when it is read. */
  def kept(pages: PageReadStore): PageReadStore = {
    page = null
    values = null
    made = null
    new PageReadStore {
      override def getPageReader(column: ColumnDescriptor): PageReader = keeping(pages.getPageReader(column))
      override def getRowCount: Long = pages.getRowCount
      override def getRowIndexes: Optional[PrimitiveIterator.OfLong] = pages.getRowIndexes
    }
  }

  private def keeping(pages: PageReader) = new PageReader {
    override def readDictionaryPage(): DictionaryPage = {
      val read = pages.readDictionaryPage()
      // Its bytes may come out of a stream that ends.
      if (read != null) {
        val bytes = BytesInput.from(read.getBytes.toInputStream.readAllBytes(): Array[Byte])
        page = new DictionaryPage(bytes, read.getDictionarySize, read.getEncoding)
      }
      page
    }
    override def getTotalValueCount: Long = pages.getTotalValueCount
    override def readPage(): DataPage = pages.readPage()
  }
}

/** Dictionary ids, instead of which the values are copied. */
private final class LookedUp(ids: ByteBuffer, dictionary: DictionaryValues) extends ValueCopy {
  private val runs = ValueCopy.idWidth(ids) match {
    case 0 => null
    case width => new HybridRuns(ids, width)
  }
  private val out = new ByteArrayOutputStream(256)

  override def skip(values: Long): Unit = if (runs != null) runs.skip(values)

  override def copy(values: Long): Unit = {
    var left = values
    while (left > 0) {
      dictionary.write(if (runs == null) 0 else runs.next(), out)
      left -= 1
    }
  }

  override def copied: BytesInput = BytesInput.from(out)
  override def encoding(ofPage: Encoding): Encoding = Encoding.PLAIN
}
