/**
 * Writes numbers as Parquet's hybrid of runs and bit packing, which [[RleDecoder]] reads: levels, numbers of a dictionary.
 *
 * {{{
 *   run     count << 1 (variable length) | the number, in whole bytes
 *   packed  groups << 1 | 1 (one byte)   | groups of eight numbers, `width` bits each
 * }}}
 * The runs are those that Parquet's own writer makes, which gets the numbers one by one; here a run is told as such, and
 * costs the same whatever its length.
 */
package shreddedvariant.parquet.page

import java.util.Arrays

import org.apache.parquet.bytes.BytesInput
import shreddedvariant.binary.LittleEndian

private[parquet] final class RleEncoder(width: Int) {
  private var bytes = new Array[Byte](64)
  private var length = 0

  // Numbers on their way into a group of eight: packed in a word, or one by one where a word is too small. And where the
  // header of the packed groups before it stands.
  private val fitsWord = width <= 8
  private var word = 0L
  private val group = if (fitsWord) null else new Array[Int](RleEncoder.Group)
  private val ones = RleEncoder.ones(if (fitsWord) width else 0)
  private var inGroup = 0
  private var header = -1
  private var groups = 0

  def add(number: Int, times: Int): Unit = {
    var left = times
    while (left > 0)
      if (inGroup == 0 && left >= RleEncoder.Group) {
        run(number, left)
        left = 0
      } else {
        val some = math.min(left, RleEncoder.Group - inGroup)
        gather(number, some)
        left -= some
      }
  }

  private def gather(number: Int, times: Int): Unit = {
    if (fitsWord) word |= (number * ones(times)) << inGroup * width
    else Arrays.fill(group, inGroup, inGroup + times, number)
    inGroup += times
    if (inGroup == RleEncoder.Group) packGroup()
  }

  /** Many numbers, of which most differ from those beside them. */
  def add(numbers: Array[Int], count: Int): Unit = {
    var i = 0
    while (i < count) {
      val end = endOfRun(numbers, i, count)
      if (inGroup > 0 || end - i >= RleEncoder.Group || count - i < RleEncoder.Group) {
        add(numbers(i), end - i)
        i = end
      } else {
        // What [[add]] would do with them one by one.
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

  /** What was added since [[clear]]; it stays as it is until then. */
  def encoded: BytesInput = {
    // The last group has a number for each of its places, of which nobody asks for those behind the end.
    if (inGroup > 0) gather(0, RleEncoder.Group - inGroup)
    closePacked()
    BytesInput.from(bytes, 0, length)
  }

  def clear(): Unit = {
    length = 0
    inGroup = 0
    word = 0
    header = -1
    groups = 0
  }

  private def run(number: Int, count: Int): Unit = {
    closePacked()
    reserve(RleEncoder.MostHeader + 4)
    var rest = count << 1
    while ((rest & ~0x7f) != 0) {
      put(rest & 0x7f | 0x80)
      rest >>>= 7
    }
    put(rest)
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

  /** Makes room for so many bytes. */
  private def startGroup(most: Int): Unit = {
    reserve(1 + most)
    if (header < 0) {
      header = length
      length += 1
    }
  }

  private def endGroup(): Unit = {
    groups += 1
    if (groups == RleEncoder.MostGroups) closePacked()
  }

  private def closePacked(): Unit = if (header >= 0) {
    bytes(header) = (groups << 1 | 1).toByte
    header = -1
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

  /** Of which the header is one byte. */
  private final val MostGroups = 63
  private final val MostHeader = 5

  /** By how many times: the number that, times another one of `width` bits, has that one so many times side by side. */
  private def ones(width: Int): Array[Long] = Array.iterate(0L, Group + 1)(_ << width | 1)
}
