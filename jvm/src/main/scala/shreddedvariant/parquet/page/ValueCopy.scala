/** Copies some values of a page into another page and skips the others. */
package shreddedvariant.parquet.page

import java.io.ByteArrayOutputStream
import java.nio.{ByteBuffer, ByteOrder}

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.Encoding
import org.apache.parquet.io.ParquetDecodingException
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import shreddedvariant.binary.LittleEndian

private[parquet] abstract class ValueCopy {
  def skip(values: Long): Unit
  def copy(values: Long): Unit

  /** All copied values, encoded. */
  def copied: BytesInput

  /** The encoding of [[copied]] for a page in the encoding `ofPage`. */
  def encoding(ofPage: Encoding): Encoding = ofPage
}

private[parquet] object ValueCopy {

  /** Whether values in this encoding can be skipped and copied with the bytes of their own page alone. */
  def takes(encoding: Encoding, column: PrimitiveType): Boolean = {
    val physicalType = column.getPrimitiveTypeName
    encoding match {
      case Encoding.PLAIN | Encoding.RLE_DICTIONARY => true
      case Encoding.DELTA_BINARY_PACKED => physicalType == INT32 || physicalType == INT64
      case Encoding.DELTA_LENGTH_BYTE_ARRAY => physicalType == BINARY
      case Encoding.RLE => physicalType == BOOLEAN
      case other => other.usesDictionary
    }
  }

  /**
   * For a page of at most `maxCount` values. `page` is the buffer that the page is in; bytes are decompressed
   * there before they are read.
   */
  def apply(
      encoding: Encoding,
      column: PrimitiveType,
      bytes: ByteBuffer,
      page: PageBuffer,
      maxCount: Long
  ): ValueCopy = {
    if (!takes(encoding, column)) throw new ParquetDecodingException(s"values encoded as $encoding")
    if (encoding == Encoding.DELTA_LENGTH_BYTE_ARRAY) new LengthCopy(bytes, page, maxCount)
    else {
      page.needAll()
      whole(encoding, column, bytes, page, maxCount)
    }
  }

  private def whole(
      encoding: Encoding,
      column: PrimitiveType,
      bytes: ByteBuffer,
      page: PageBuffer,
      maxCount: Long
  ) =
    if (encoding == Encoding.DELTA_BINARY_PACKED)
      new DeltaCopy(
        new DeltaBinaryPackedDecoder(bytes, page, maxCount),
        if (column.getPrimitiveTypeName == INT32) 4 else 8
      )
    else if (encoding.usesDictionary) {
      val isEmpty = !bytes.hasRemaining
      val width = idWidth(bytes)
      if (isEmpty) new NoIds
      else new HybridCopy(bytes, width, BytesInput.from(Array(width.toByte)), hasLength = false)
    } else if (encoding == Encoding.RLE) {
      if (bytes.remaining < 4) throw new ParquetDecodingException("values end too early")
      bytes.getInt()
      new HybridCopy(bytes, 1, BytesInput.empty, hasLength = true)
    } else
      column.getPrimitiveTypeName match {
        case BOOLEAN => new BitCopy(bytes)
        case INT32 | FLOAT => new FixedCopy(bytes, 4)
        case INT64 | DOUBLE => new FixedCopy(bytes, 8)
        case INT96 => new FixedCopy(bytes, 12)
        case FIXED_LEN_BYTE_ARRAY => new FixedCopy(bytes, column.getTypeLength)
        case BINARY => new BinaryCopy(bytes)
      }

  /** Reads the width of dictionary ids, the first byte of the values. A page of only nulls may omit it. */
  def idWidth(bytes: ByteBuffer): Int = {
    val width = if (bytes.hasRemaining) bytes.get() & 0xff else 0
    if (width > 32) throw new ParquetDecodingException(s"dictionary ids of $width bits")
    width
  }
}

/** A page of only nulls may have no dictionary ids and not even their width. */
private[parquet] final class NoIds extends ValueCopy {
  override def skip(values: Long): Unit = none(values)
  override def copy(values: Long): Unit = none(values)

  /** Only the width: Spark's reader expects the width in every page of ids. */
  override def copied: BytesInput = BytesInput.from(Array(0.toByte))

  private def none(values: Long): Unit =
    if (values > 0) throw new ParquetDecodingException("dictionary ids end too early")
}

/**
 * Dictionary ids, or booleans in RLE. With a width of 0, every id refers to the only entry of the dictionary.
 */
private[parquet] final class HybridCopy(bytes: ByteBuffer, width: Int, head: BytesInput, hasLength: Boolean)
    extends ValueCopy {
  private val runs = if (width == 0) null else new RleDecoder(bytes, width)
  private val out = new PackedNumbers(width)

  override def skip(values: Long): Unit = if (runs != null) runs.skip(values)
  override def copy(values: Long): Unit =
    if (runs != null) { runs.copy(values, out); () }
    else for (_ <- 0L until values) out.add(0)

  override def copied: BytesInput = {
    val encoded = out.bytes
    if (hasLength) BytesInput.concat(BytesInput.fromInt(encoded.size.toInt), encoded)
    else BytesInput.concat(head, encoded)
  }
}

private[parquet] abstract class PlainCopy(bytes: ByteBuffer) extends ValueCopy {
  bytes.order(ByteOrder.LITTLE_ENDIAN)
  protected val out = new ByteArrayOutputStream(256)

  protected def write(length: Long): Unit = {
    val from = bytes.arrayOffset + bytes.position()
    pass(length)
    out.write(bytes.array, from, length.toInt)
  }

  protected def pass(length: Long): Unit = {
    if (length > bytes.remaining) throw new ParquetDecodingException("values end too early")
    bytes.position(bytes.position() + length.toInt)
    ()
  }

  override def copied: BytesInput = BytesInput.from(out)
}

private[parquet] final class FixedCopy(bytes: ByteBuffer, width: Int) extends PlainCopy(bytes) {
  override def skip(values: Long): Unit = pass(values * width)
  override def copy(values: Long): Unit = write(values * width)
}

private[parquet] final class BinaryCopy(bytes: ByteBuffer) extends PlainCopy(bytes) {
  private val array = bytes.array
  private val start = bytes.arrayOffset
  private val end = start + bytes.limit()

  /** Each length gives the position of the next length, so skipping reads all lengths in between. */
  override def skip(values: Long): Unit = {
    var remaining = values
    var offset = start + bytes.position()
    while (remaining > 0) {
      offset += 4 + lengthAt(offset)
      remaining -= 1
    }
    bytes.position(offset - start)
    ()
  }

  override def copy(values: Long): Unit = {
    var remaining = values
    while (remaining > 0) {
      write(4L + lengthAt(start + bytes.position()))
      remaining -= 1
    }
  }

  private def lengthAt(offset: Int): Int = {
    if (end - offset < 4) throw new ParquetDecodingException("values end too early")
    val length = LittleEndian.int(array, offset)
    if (length < 0 || length > end - offset - 4)
      throw new ParquetDecodingException(s"a value of $length bytes")
    length
  }
}

/** Numbers in DELTA_BINARY_PACKED, copied as PLAIN. */
private[parquet] final class DeltaCopy(runs: DeltaBinaryPackedDecoder, width: Int) extends ValueCopy {
  private val out = new ByteArrayOutputStream(256)
  private val number = new Array[Byte](8)

  override def skip(values: Long): Unit = runs.skip(values)
  override def copy(values: Long): Unit = {
    var remaining = values
    while (remaining > 0) {
      LittleEndian.put(number, 0, runs.number())
      out.write(number, 0, width)
      remaining -= 1
    }
  }

  override def copied: BytesInput = BytesInput.from(out)
  override def encoding(ofPage: Encoding): Encoding = Encoding.PLAIN
}

/**
 * Texts in DELTA_LENGTH_BYTE_ARRAY, copied as PLAIN. The lengths give the position of each text, so of a page
 * that is compressed in frames only the frames with copied texts are decompressed.
 */
private[parquet] final class LengthCopy(bytes: ByteBuffer, page: PageBuffer, maxCount: Long)
    extends ValueCopy {
  private val array = bytes.array
  private val out = new ByteArrayOutputStream(256)
  private val length = new Array[Byte](4)
  private var next = 0

  // The texts follow the lengths, from `firstText` on: text i is between `starts(i)` and `starts(i + 1)`.
  private val lengths = new DeltaBinaryPackedDecoder(bytes, page, maxCount)
  private val starts = page.numbersOf(lengths.size + 1)
  private val firstText = {
    val size = lengths.sums(starts)
    if (size > bytes.arrayOffset + bytes.limit() - lengths.position)
      throw new ParquetDecodingException("values end too early")
    lengths.position
  }

  override def skip(values: Long): Unit = next = after(values)

  override def copy(values: Long): Unit = {
    val until = after(values)
    page.need(firstText + starts(next), firstText + starts(until))
    while (next < until) {
      val size = starts(next + 1) - starts(next)
      LittleEndian.put(length, 0, size)
      out.write(length, 0, 4)
      out.write(array, firstText + starts(next), size)
      next += 1
    }
  }

  private def after(values: Long): Int = {
    if (values > lengths.size - next) throw new ParquetDecodingException("values end too early")
    next + values.toInt
  }

  override def copied: BytesInput = BytesInput.from(out)
  override def encoding(ofPage: Encoding): Encoding = Encoding.PLAIN
}

/** Booleans in PLAIN: one bit each, the lowest bit first. */
private[parquet] final class BitCopy(bytes: ByteBuffer) extends ValueCopy {
  private val start = bytes.position().toLong * 8
  private val out = new ByteArrayOutputStream(256)
  private var position = start
  private var byte = 0
  private var bits = 0

  override def skip(values: Long): Unit = position += values

  override def copy(values: Long): Unit = for (_ <- 0L until values) {
    if ((position >>> 3) >= bytes.limit()) throw new ParquetDecodingException("values end too early")
    val bit = (bytes.get((position >>> 3).toInt) >>> (position & 7).toInt) & 1
    position += 1
    byte |= bit << bits
    bits += 1
    if (bits == 8) {
      out.write(byte)
      byte = 0
      bits = 0
    }
  }

  override def copied: BytesInput = {
    if (bits > 0) out.write(byte)
    BytesInput.from(out)
  }
}
