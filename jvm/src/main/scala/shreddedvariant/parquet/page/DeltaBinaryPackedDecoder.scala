/**
 * A cursor over numbers that are encoded as DELTA_BINARY_PACKED: each is the one before it and a difference.
 *
 * {{{
 *   numbers in a block │ miniblocks in a block │ numbers │ the first one
 *   the least difference │ bits of each miniblock │ the differences less the least one, packed    for each block
 * }}}
 *
 * There is no way to a number but along all those before it, a miniblock at a time.
 */
package shreddedvariant.parquet.page

import java.nio.ByteBuffer

import org.apache.parquet.io.ParquetDecodingException
import shreddedvariant.binary.LittleEndian

/** `bytes` begins with the encoded numbers, of which there may be `most`; what is looked at of them is asked of `page`. */
private[parquet] final class DeltaBinaryPackedDecoder(bytes: ByteBuffer, page: PageBuffer, most: Long) {
  private val array = bytes.array
  private val end = bytes.arrayOffset + bytes.limit()
  private var at = bytes.arrayOffset + bytes.position()

  page.need(at, at + math.min(end - at, DeltaBinaryPackedDecoder.Header))
  private val ofBlock = varint()
  private val miniblocks = varint()
  private val told = varint()
  private var last = zigzag()
  // Ten bytes make a negative number: with its size known, everything below counts down from a number of numbers.
  if (
    miniblocks < 1 || miniblocks > DeltaBinaryPackedDecoder.MostMiniblocks || ofBlock < 8 || ofBlock > DeltaBinaryPackedDecoder.MostOfBlock ||
    ofBlock % (8 * miniblocks) != 0 || told < 0 || told > math.min(most, Int.MaxValue.toLong)
  )
    throw new ParquetDecodingException(s"$told differences in blocks of $ofBlock and $miniblocks miniblocks")
  val size: Int = told.toInt

  // The numbers of a miniblock, and those of them that are still to come; `left` are the numbers behind it.
  private val numbers = new Array[Long]((ofBlock / miniblocks).toInt)
  private var next = 0
  private var known = if (size == 0) 0 else 1
  private var left = size - known
  numbers(0) = last

  private val widths = new Array[Byte](miniblocks.toInt)
  private var miniblock = widths.length
  private var least = 0L
  private val padded = new Array[Byte](numbers.length * 8 + DeltaBinaryPackedDecoder.Beyond)

  /** Where the encoded numbers end, once all have been passed over. */
  def position: Int = at

  def number(): Long = {
    if (next == known) fill()
    next += 1
    numbers(next - 1)
  }

  def skip(count: Long): Unit = {
    var rest = count
    while (rest > 0) {
      if (next == known) fill()
      val n = math.min(rest, (known - next).toLong).toInt
      next += n
      rest -= n
    }
  }

  /** Writes all numbers that are left as PLAIN has them, `width` bytes each. */
  def writeAll(to: Array[Byte], from: Int, width: Int): Unit = {
    var place = from
    while (next < known || left > 0) {
      if (next == known) fill()
      while (next < known) {
        if (width == 4) LittleEndian.put(to, place, numbers(next).toInt)
        else LittleEndian.put(to, place, numbers(next))
        place += width
        next += 1
      }
    }
  }

  /** Of lengths: `to(i)` becomes the sum of the first i that are left; says what all of them make together. */
  def sums(to: Array[Int]): Long = {
    var sum = 0L
    var bits = 0L
    var i = 0
    to(0) = 0
    while (next < known || left > 0) {
      if (next == known) fill()
      while (next < known) {
        bits |= numbers(next)
        sum += numbers(next)
        next += 1
        i += 1
        // Where it is too large, so are all together.
        to(i) = sum.toInt
      }
    }
    if (bits < 0 || bits > Int.MaxValue) throw new ParquetDecodingException("a length that is none")
    sum
  }

  private def fill(): Unit = {
    if (left == 0) throw new ParquetDecodingException("differences end too early")
    if (miniblock == widths.length) startBlock()
    val width = widths(miniblock) & 0xff
    val length = numbers.length / 8 * width
    if (width > 64 || length > end - at)
      throw new ParquetDecodingException(s"differences of $width bits end too early")
    page.need(at, at + length)
    known = math.min(left, numbers.length)
    if (width == 0) repeat()
    else if (array.length - at >= length + DeltaBinaryPackedDecoder.Beyond) unpack(array, at, width)
    else {
      // Words reach beyond the last difference: at the end of the array they would beyond that.
      System.arraycopy(array, at, padded, 0, length)
      unpack(padded, 0, width)
    }
    at += length
    miniblock += 1
    left -= known
    next = 0
  }

  private def startBlock(): Unit = {
    page.need(at, at + math.min(end - at, DeltaBinaryPackedDecoder.MostVarint + widths.length))
    least = zigzag()
    if (end - at < widths.length) throw new ParquetDecodingException("differences end too early")
    System.arraycopy(array, at, widths, 0, widths.length)
    at += widths.length
    miniblock = 0
  }

  private def repeat(): Unit = {
    var i = 0
    while (i < known) {
      last += least
      numbers(i) = last
      i += 1
    }
  }

  private def unpack(from: Array[Byte], start: Int, width: Int): Unit = {
    val mask = -1L >>> (64 - width)
    var number = last
    var bit = 0
    var i = 0
    while (i < known) {
      val place = start + (bit >>> 3)
      val shift = bit & 7
      var difference = LittleEndian.long(from, place) >>> shift
      if (shift + width > 64) difference |= from(place + 8).toLong << (64 - shift)
      number += least + (difference & mask)
      numbers(i) = number
      bit += width
      i += 1
    }
    last = number
  }

  private def zigzag(): Long = {
    val value = varint()
    (value >>> 1) ^ -(value & 1)
  }

  private def varint(): Long = {
    var value = 0L
    var shift = 0
    var byte = 0x80
    while ((byte & 0x80) != 0) {
      if (shift > 63 || at == end)
        throw new ParquetDecodingException("a number of differences that does not end")
      byte = array(at)
      at += 1
      value |= (byte & 0x7fL) << shift
      shift += 7
    }
    value
  }
}

private[parquet] object DeltaBinaryPackedDecoder {
  private final val MostVarint = 10
  private final val Header = 4 * MostVarint
  private final val MostMiniblocks = 256
  private final val MostOfBlock = 1 << 16

  /** Bytes behind a difference that a word of it and the byte after that may reach into. */
  private final val Beyond = 9
}
