/**
 * A cursor over numbers in Parquet's RLE / bit-packing hybrid: levels, dictionary ids, booleans.
 *
 * Skipping goes run by run. A packed number is extracted without unpacking its group.
 */
package shreddedvariant.parquet.page

import java.nio.{ByteBuffer, ByteOrder}
import java.util.Arrays

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.io.ParquetDecodingException

/** `bytes` starts with the first run. `width` is the number of bits of each number, at least 1. */
private[parquet] final class RleDecoder(bytes: ByteBuffer, width: Int) {
  private val in = bytes.slice().order(ByteOrder.LITTLE_ENDIAN)
  private val mask = (1L << width) - 1

  // Packed numbers are compared a word at a time. A word that starts inside a byte has at least 57 usable bits.
  private val numbersPerWord = 56 / width
  private val ones = (0 until numbersPerWord).map(i => 1L << (i * width)).sum

  // The current run: the count of its remaining numbers, and its number, or the bit position of the next packed
  // number.
  private var inRun = 0L
  private var isPacked = false
  private var number = 0
  private var bit = 0L

  def next(): Int = {
    if (inRun == 0) nextRun()
    val value = if (isPacked) packed() else number
    pass(1)
    value
  }

  def skip(count: Long): Unit = {
    var remaining = count
    while (remaining > 0) {
      if (inRun == 0) nextRun()
      val n = math.min(remaining, inRun)
      pass(n)
      remaining -= n
    }
  }

  /** Skips `count` numbers and returns how many of them equal `target`. */
  def count(count: Long, target: Int): Long = {
    var remaining = count
    var matching = 0L
    while (remaining > 0) {
      if (inRun == 0) nextRun()
      val n = if (isPacked) atOnce(remaining) else math.min(remaining, inRun)
      matching += (if (isPacked) matches(n, target) else if (number == target) n else 0)
      pass(n)
      remaining -= n
    }
    matching
  }

  /** Copies `count` numbers to `to` and returns how many of them equal `target`. */
  def copy(count: Long, to: PackedNumbers, target: Int = 0): Long = {
    var remaining = count
    var matching = 0L
    while (remaining > 0) {
      val number = next()
      to.add(number)
      if (number == target) matching += 1
      remaining -= 1
    }
    matching
  }

  /**
   * For repetition levels: reads entries until `rows` rows have started and the next entry would start another
   * row, or until `entries` entries are read. Copies the levels to `to` unless it is null. Returns the number
   * of entries read.
   */
  def rows(rows: Long, entries: Long, to: PackedNumbers): Long = {
    var startedRows = 0L
    var passed = 0L
    while (passed < entries) {
      if (inRun == 0) nextRun()
      var n = if (isPacked) atOnce(entries - passed) else math.min(inRun, entries - passed)
      var starts = if (isPacked) matches(n, 0) else if (number == 0) n else 0
      if (startedRows + starts > rows) {
        // One row too many starts among these numbers: go on to its start, one packed number at a time.
        n = if (isPacked) 1 else rows - startedRows
        starts = if (isPacked) matches(1, 0) else n
        if (startedRows + starts > rows || n == 0) return passed
      }
      if (to == null) pass(n) else copy(n, to)
      startedRows += starts
      passed += n
    }
    passed
  }

  private def pass(n: Long): Unit = {
    inRun -= n
    if (isPacked) bit += n * width
  }

  /** Skips empty runs. Each takes at least one byte, so the loop ends. */
  private def nextRun(): Unit = {
    readRun()
    while (inRun == 0) readRun()
  }

  private def readRun(): Unit = {
    if (isPacked) in.position(math.min(((bit + 7) >>> 3), in.limit().toLong).toInt)
    val header = varint()
    isPacked = (header & 1) == 1
    if (isPacked) {
      inRun = (header >>> 1) * 8
      bit = in.position().toLong * 8
    } else {
      inRun = header >>> 1
      number = 0
      var shift = 0
      while (shift < width) {
        number |= byte() << shift
        shift += 8
      }
      if ((number & 0xffffffffL) > mask) throw new ParquetDecodingException(s"$number in $width bits")
    }
  }

  private def varint(): Long = {
    var value = 0L
    var shift = 0
    var byte = 0x80
    while ((byte & 0x80) != 0) {
      if (shift > 28) throw new ParquetDecodingException("the length of a run has too many bytes")
      byte = this.byte()
      value |= (byte & 0x7fL) << shift
      shift += 7
    }
    value & 0xffffffffL
  }

  private def byte(): Int = {
    if (!in.hasRemaining) throw new ParquetDecodingException("runs end too early")
    in.get() & 0xff
  }

  private def packed(): Int = (word() & mask).toInt

  private def atOnce(numbers: Long): Long = math.min(math.min(numbers, inRun), numbersPerWord.toLong)

  /** Counts the matches of `target` among the next `numbers` packed numbers, in one word, using XOR. */
  private def matches(numbers: Long, target: Int): Long = {
    var differing = word() ^ (ones * target)
    var shift = 1
    val bits = differing
    while (shift < width) {
      differing |= bits >>> shift
      shift += 1
    }
    val firstBits = ones & ((1L << (numbers * width)) - 1)
    numbers - java.lang.Long.bitCount(differing & firstBits)
  }

  /** At least 57 bits, from the next packed number on. */
  private def word(): Long = bytesAt((bit >>> 3).toInt) >>> (bit & 7).toInt

  /**
   * Eight bytes as a word. Missing bytes are zero: writers may omit bytes of the last group that no value
   * needs.
   */
  private def bytesAt(offset: Int): Long =
    if (offset + 8 <= in.limit()) in.getLong(offset)
    else if (offset >= in.limit()) throw new ParquetDecodingException("packed values end too early")
    else {
      var word = 0L
      var i = in.limit() - 1
      while (i >= offset) {
        word = (word << 8) | (in.get(i) & 0xffL)
        i -= 1
      }
      word
    }
}

/** Encodes the numbers of a page in the same hybrid: one run if all numbers are equal, else one packed run. */
private[parquet] final class PackedNumbers(width: Int) {
  private var numbers = new Array[Int](64)
  private var size = 0
  private var differ = false

  def add(number: Int): Unit = {
    if (size == numbers.length) numbers = Arrays.copyOf(numbers, size * 2)
    numbers(size) = number
    differ = differ || number != numbers(0)
    size += 1
  }

  def bytes: BytesInput =
    if (size == 0) BytesInput.empty
    else if (!differ) {
      val number = Array.tabulate((width + 7) / 8)(i => (numbers(0) >>> (8 * i)).toByte)
      BytesInput.concat(BytesInput.fromUnsignedVarInt(size << 1), BytesInput.from(number))
    } else {
      val groups = (size + 7) / 8
      BytesInput.concat(BytesInput.fromUnsignedVarInt(groups << 1 | 1), BytesInput.from(packed(groups)))
    }

  private def packed(groups: Int): Array[Byte] = {
    val bytes = new Array[Byte](groups * width)
    // Bits that are not yet written: fewer than 8 bits and one number of at most 32 bits fit into a long.
    var pending = 0L
    var bits = 0
    var position = 0
    var i = 0
    while (i < groups * 8) {
      if (i < size) pending |= (numbers(i) & 0xffffffffL) << bits
      bits += width
      while (bits >= 8) {
        bytes(position) = pending.toByte
        position += 1
        pending >>>= 8
        bits -= 8
      }
      i += 1
    }
    bytes
  }
}
