/**
 * Encodes levels and dictionary ids in Parquet's RLE / bit-packing hybrid, which [[RleDecoder]] reads.
 *
 * {{{
 *   run     count << 1 (variable length) | the number, in whole bytes
 *   packed  groups << 1 | 1 (one byte)   | groups of eight numbers, `width` bits each
 * }}}
 * The runs are the same as those of Parquet's own writer, which takes single numbers. Here a caller can add a
 * run as a whole, at a cost that does not depend on the run's length.
 */
package shreddedvariant.parquet.page

import java.util.Arrays

import org.apache.parquet.bytes.BytesInput
import shreddedvariant.binary.LittleEndian

private[parquet] final class RleEncoder(width: Int) {
  private var bytes = new Array[Byte](64)
  private var length = 0

  // The incomplete group of eight numbers: packed in `word` if a group fits into a long, else unpacked in
  // `group`. `headerAt` is the position of the header of the open packed run, -1 if there is none.
  private val fitsWord = width <= 8
  private var word = 0L
  private val group = if (fitsWord) null else new Array[Int](RleEncoder.Group)
  private val ones = RleEncoder.ones(if (fitsWord) width else 0)
  private var inGroup = 0
  private var headerAt = -1
  private var groups = 0

  def add(number: Int, times: Int): Unit = {
    var remaining = times
    while (remaining > 0)
      if (inGroup == 0 && remaining >= RleEncoder.Group) {
        run(number, remaining)
        remaining = 0
      } else {
        val count = math.min(remaining, RleEncoder.Group - inGroup)
        gather(number, count)
        remaining -= count
      }
  }

  private def gather(number: Int, times: Int): Unit = {
    if (fitsWord) word |= (number * ones(times)) << inGroup * width
    else Arrays.fill(group, inGroup, inGroup + times, number)
    inGroup += times
    if (inGroup == RleEncoder.Group) packGroup()
  }

  /** Adds numbers of which most differ from their neighbours. */
  def add(numbers: Array[Int], count: Int): Unit = {
    var i = 0
    while (i < count) {
      val end = endOfRun(numbers, i, count)
      if (inGroup > 0 || end - i >= RleEncoder.Group || count - i < RleEncoder.Group) {
        add(numbers(i), end - i)
        i = end
      } else {
        // The same result as adding the eight numbers run by run.
        pack(numbers, i)
        i += RleEncoder.Group
      }
    }
  }

  private def endOfRun(numbers: Array[Int], from: Int, count: Int): Int = {
    var end = from + 1
    while (end < count && numbers(end) == numbers(from)) end += 1
    end
  }

  /** The numbers added since the last [[clear]], encoded. The bytes are valid until the next [[clear]]. */
  def encoded: BytesInput = {
    // Pads the last group to eight numbers. Readers ignore numbers after the value count.
    if (inGroup > 0) gather(0, RleEncoder.Group - inGroup)
    closePacked()
    BytesInput.from(bytes, 0, length)
  }

  def clear(): Unit = {
    length = 0
    inGroup = 0
    word = 0
    headerAt = -1
    groups = 0
  }

  private def run(number: Int, count: Int): Unit = {
    closePacked()
    reserve(RleEncoder.MaxHeaderSize + 4)
    var header = count << 1
    while ((header & ~0x7f) != 0) {
      put(header & 0x7f | 0x80)
      header >>>= 7
    }
    put(header)
    var bits = 0
    while (bits < width) {
      put(number >>> bits)
      bits += 8
    }
  }

  private def packGroup(): Unit = {
    if (fitsWord) packWord(word) else pack(group, 0)
    inGroup = 0
    word = 0
  }

  private def pack(numbers: Array[Int], from: Int): Unit =
    if (fitsWord) {
      var word = 0L
      var i = RleEncoder.Group
      while (i > 0) {
        i -= 1
        word = word << width | numbers(from + i)
      }
      packWord(word)
    } else {
      startGroup(width)
      var word = 0L
      var bits = 0
      var i = 0
      while (i < RleEncoder.Group) {
        word |= (numbers(from + i) & 0xffffffffL) << bits
        bits += width
        while (bits >= 8) {
          put(word.toInt)
          word >>>= 8
          bits -= 8
        }
        i += 1
      }
      endGroup()
    }

  private def packWord(word: Long): Unit = {
    startGroup(8)
    LittleEndian.put(bytes, length, word)
    length += width
    endGroup()
  }

  /** Reserves bytes for a group of at most `maxSize` bytes, and the header byte if no packed run is open. */
  private def startGroup(maxSize: Int): Unit = {
    reserve(1 + maxSize)
    if (headerAt < 0) {
      headerAt = length
      length += 1
    }
  }

  private def endGroup(): Unit = {
    groups += 1
    if (groups == RleEncoder.MaxGroups) closePacked()
  }

  private def closePacked(): Unit = if (headerAt >= 0) {
    bytes(headerAt) = (groups << 1 | 1).toByte
    headerAt = -1
    groups = 0
  }

  private def put(byte: Int): Unit = {
    bytes(length) = byte.toByte
    length += 1
  }

  private def reserve(more: Int): Unit =
    if (bytes.length - length < more) bytes = Arrays.copyOf(bytes, bytes.length * 2 + more)
}

private[parquet] object RleEncoder {
  private final val Group = 8

  /** Up to 63 groups have a header of one byte. */
  private final val MaxGroups = 63
  private final val MaxHeaderSize = 5

  /**
   * Element n has n one bits, `width` bits apart. A product with a number of `width` bits repeats the number n
   * times.
   */
  private def ones(width: Int): Array[Long] = Array.iterate(0L, Group + 1)(_ << width | 1)
}
