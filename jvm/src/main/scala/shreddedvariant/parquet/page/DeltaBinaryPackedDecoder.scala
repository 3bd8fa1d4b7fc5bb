/**
 * A cursor over numbers in the encoding DELTA_BINARY_PACKED: each number is the previous number plus a
 * difference.
 *
 * {{{
 *   block size │ miniblocks in a block │ total value count │ first value
 *   min delta │ bit width of each miniblock │ the deltas minus the min delta, packed    for each block
 * }}}
 *
 * A number can be decoded only after all numbers before it. The decoder unpacks one miniblock at a time.
 */
package shreddedvariant.parquet.page

import java.nio.ByteBuffer

import org.apache.parquet.io.ParquetDecodingException
import shreddedvariant.binary.LittleEndian

/**
 * `bytes` starts with at most `maxCount` encoded numbers. The decoder calls `page.need` before it reads bytes,
 * so that they are decompressed.
 */
private[parquet] final class DeltaBinaryPackedDecoder(bytes: ByteBuffer, page: PageBuffer, maxCount: Long) {
  private val array = bytes.array
  private val end = bytes.arrayOffset + bytes.limit()
  private var offset = bytes.arrayOffset + bytes.position()

  page.need(offset, offset + math.min(end - offset, DeltaBinaryPackedDecoder.MaxHeaderSize))
  private val blockSize = varint()
  private val miniblocks = varint()
  private val valueCount = varint()
  private var last = zigzag()
  // A varint of ten bytes can be negative. After these checks the value count bounds every loop below.
  if (
    miniblocks < 1 || miniblocks > DeltaBinaryPackedDecoder.MaxMiniblocks ||
    blockSize < 8 || blockSize > DeltaBinaryPackedDecoder.MaxBlockSize || blockSize % (8 * miniblocks) != 0 ||
    valueCount < 0 || valueCount > math.min(maxCount, Int.MaxValue.toLong) ||
    // Each block takes at least a byte for its min delta and a byte for the width of each miniblock.
    valueCount - 1 > ((end - offset) / (1 + miniblocks) * blockSize)
  )
    throw new ParquetDecodingException(
      s"$valueCount differences in blocks of $blockSize values and $miniblocks miniblocks"
    )
  val size: Int = valueCount.toInt

  // `numbers` holds the current miniblock: `decoded` numbers, of which `next` is read next. `undecoded` counts
  // the numbers after it.
  private val numbers = new Array[Long]((blockSize / miniblocks).toInt)
  private var next = 0
  private var decoded = if (size == 0) 0 else 1
  private var undecoded = size - decoded
  numbers(0) = last

  private val widths = new Array[Byte](miniblocks.toInt)
  private var miniblock = widths.length
  private var minDelta = 0L
  private val padded = new Array[Byte](numbers.length * 8 + DeltaBinaryPackedDecoder.Overread)

  /** The end of the encoded numbers, once all numbers are read or skipped. */
  def position: Int = offset

  def number(): Long = {
    if (next == decoded) fill()
    next += 1
    numbers(next - 1)
  }

  def skip(count: Long): Unit = {
    var remaining = count
    while (remaining > 0) {
      if (next == decoded) fill()
      val n = math.min(remaining, (decoded - next).toLong).toInt
      next += n
      remaining -= n
    }
  }

  /** Writes all remaining numbers in PLAIN encoding, `width` bytes each. */
  def writeAll(to: Array[Byte], from: Int, width: Int): Unit = {
    var index = from
    while (next < decoded || undecoded > 0) {
      if (next == decoded) fill()
      while (next < decoded) {
        if (width == 4) LittleEndian.put(to, index, numbers(next).toInt)
        else LittleEndian.put(to, index, numbers(next))
        index += width
        next += 1
      }
    }
  }

  /** Reads the remaining numbers as lengths: `to(i)` becomes the sum of the first i. Returns the sum of all. */
  def sums(to: Array[Int]): Long = {
    var sum = 0L
    var bits = 0L
    var i = 0
    to(0) = 0
    while (next < decoded || undecoded > 0) {
      if (next == decoded) fill()
      while (next < decoded) {
        bits |= numbers(next)
        sum += numbers(next)
        next += 1
        i += 1
        // If this sum overflows, the returned total is too large, and the caller refuses it.
        to(i) = sum.toInt
      }
    }
    if (bits < 0 || bits > Int.MaxValue)
      throw new ParquetDecodingException("a length is negative or beyond 2 GiB")
    sum
  }

  private def fill(): Unit = {
    if (undecoded == 0) throw new ParquetDecodingException("differences end too early")
    if (miniblock == widths.length) startBlock()
    val width = widths(miniblock) & 0xff
    val length = numbers.length / 8 * width
    if (width > 64 || length > end - offset)
      throw new ParquetDecodingException(s"differences of $width bits end too early")
    page.need(offset, offset + length)
    decoded = math.min(undecoded, numbers.length)
    if (width == 0) repeat()
    else if (array.length - offset >= length + DeltaBinaryPackedDecoder.Overread) unpack(array, offset, width)
    else {
      // `unpack` reads up to `Overread` bytes after the last difference, which the end of the array does not
      // have.
      System.arraycopy(array, offset, padded, 0, length)
      unpack(padded, 0, width)
    }
    offset += length
    miniblock += 1
    undecoded -= decoded
    next = 0
  }

  private def startBlock(): Unit = {
    page.need(offset, offset + math.min(end - offset, DeltaBinaryPackedDecoder.MaxVarintSize + widths.length))
    minDelta = zigzag()
    if (end - offset < widths.length) throw new ParquetDecodingException("differences end too early")
    System.arraycopy(array, offset, widths, 0, widths.length)
    offset += widths.length
    miniblock = 0
  }

  private def repeat(): Unit = {
    var i = 0
    while (i < decoded) {
      last += minDelta
      numbers(i) = last
      i += 1
    }
  }

  private def unpack(from: Array[Byte], start: Int, width: Int): Unit = {
    val mask = -1L >>> (64 - width)
    var number = last
    var bit = 0
    var i = 0
    while (i < decoded) {
      val index = start + (bit >>> 3)
      val shift = bit & 7
      var difference = LittleEndian.long(from, index) >>> shift
      if (shift + width > 64) difference |= from(index + 8).toLong << (64 - shift)
      number += minDelta + (difference & mask)
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
      if (shift > 63 || offset == end)
        throw new ParquetDecodingException("a number of differences that does not end")
      byte = array(offset)
      offset += 1
      value |= (byte & 0x7fL) << shift
      shift += 7
    }
    value
  }
}

private[parquet] object DeltaBinaryPackedDecoder {
  private final val MaxVarintSize = 10
  private final val MaxHeaderSize = 4 * MaxVarintSize
  private final val MaxMiniblocks = 256
  private final val MaxBlockSize = 1 << 16

  /** `unpack` reads a word and one more byte, so at most this many bytes after the last difference. */
  private final val Overread = 9
}
