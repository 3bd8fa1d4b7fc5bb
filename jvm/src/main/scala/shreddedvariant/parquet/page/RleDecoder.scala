/**
 * A cursor over numbers in Parquet's hybrid of runs and bit packing: levels, dictionary ids, booleans.
 *
 * Numbers that nobody wants are passed over run by run; a packed one is taken out of its bytes alone.
 */
package shreddedvariant.parquet.page

import java.nio.{ByteBuffer, ByteOrder}
import java.util.Arrays

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.io.ParquetDecodingException

/** `bytes` begins with the first run; `width` are the bits of a number, at least one. */
private[parquet] final class RleDecoder(bytes: ByteBuffer, width: Int) {
  private val in = bytes.slice().order(ByteOrder.LITTLE_ENDIAN)
  private val mask = (1L << width) - 1

  // Packed numbers are compared as many at a time as a word has, wherever in a byte they begin.
  private val numbersOfWord = 56 / width
  private val ones = (0 until numbersOfWord).map(i => 1L << (i * width)).sum

  // The present run: how many numbers are left of it; the number itself, or the bit where the next one is packed.
  private var left = 0L
  private var isPacked = false
  private var number = 0
  private var bit = 0L

  def next(): Int = {
    if (left == 0) nextRun()
    val value = if (isPacked) packed() else number
    pass(1)
    value
  }

  def skip(count: Long): Unit = {
    var rest = count
    while (rest > 0) {
      if (left == 0) nextRun()
      val n = math.min(rest, left)
      pass(n)
      rest -= n
    }
  }

  /** Passes over numbers and says how many of them are `wanted`. */
  def count(count: Long, wanted: Int): Long = {
    var rest = count
    var found = 0L
    while (rest > 0) {
      if (left == 0) nextRun()
      val n = if (isPacked) atOnce(rest) else math.min(rest, left)
      found += (if (isPacked) matches(n, wanted) else if (number == wanted) n else 0)
      pass(n)
      rest -= n
    }
    found
  }

  /** Hands on numbers to `to` and says how many of them are `wanted`. */
  def copy(count: Long, to: PackedNumbers, wanted: Int = 0): Long = {
    var rest = count
    var found = 0L
    while (rest > 0) {
      val number = next()
      to.add(number)
      if (number == wanted) found += 1
      rest -= 1
    }
    found
  }

  /**
   * Of repetition levels: passes over entries until `rows` have begun and the next one would, or there are no more than
   * `entries`. Hands them on to `to` unless that is null; says how many there were.
   */
  def rows(rows: Long, entries: Long, to: PackedNumbers): Long = {
    var begun = 0L
    var passed = 0L
    while (passed < entries) {
      if (left == 0) nextRun()
      var n = if (isPacked) atOnce(entries - passed) else math.min(left, entries - passed)
      var starts = if (isPacked) matches(n, 0) else if (number == 0) n else 0
      if (begun + starts > rows) {
        // The next row begins among these: on to it, a packed number at a time.
        n = if (isPacked) 1 else rows - begun
        starts = if (isPacked) matches(1, 0) else n
        if (begun + starts > rows || n == 0) return passed
      }
      if (to == null) pass(n) else copy(n, to)
      begun += starts
      passed += n
    }
    passed
  }

  private def pass(n: Long): Unit = {
    left -= n
    if (isPacked) bit += n * width
  }

  /** Runs without numbers are passed over: each takes a byte, so they end. */
  private def nextRun(): Unit = {
    readRun()
    while (left == 0) readRun()
  }

  private def readRun(): Unit = {
    if (isPacked) in.position(math.min(((bit + 7) >>> 3), in.limit().toLong).toInt)
    val header = varint()
    isPacked = (header & 1) == 1
    if (isPacked) {
      left = (header >>> 1) * 8
      bit = in.position().toLong * 8
    } else {
      left = header >>> 1
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

  private def atOnce(numbers: Long): Long = math.min(math.min(numbers, left), numbersOfWord.toLong)

  /** How many of the next packed numbers, which fit into a word, are `wanted`: a number that is none has a bit that differs. */
  private def matches(numbers: Long, wanted: Int): Long = {
    var differing = word() ^ (ones * wanted)
    var shift = 1
    val bits = differing
    while (shift < width) {
      differing |= bits >>> shift
      shift += 1
    }
    val firstBits = ones & ((1L << (numbers * width)) - 1)
    numbers - java.lang.Long.bitCount(differing & firstBits)
  }

  /** The bits from the next packed number on, 57 of them at least. */
  private def word(): Long = bytesAt((bit >>> 3).toInt) >>> (bit & 7).toInt

  /** Eight bytes; writers may leave out those of the last group that no value needs. */
  private def bytesAt(at: Int): Long =
    if (at + 8 <= in.limit()) in.getLong(at)
    else if (at >= in.limit()) throw new ParquetDecodingException("packed values end too early")
    else {
      var word = 0L
      var i = in.limit() - 1
      while (i >= at) {
        word = (word << 8) | (in.get(i) & 0xffL)
        i -= 1
      }
      word
    }
}

/** The numbers of a page in that encoding: one run if they are all the same, else packed as a whole. */
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
    // Bits that are not yet in a byte of their own; a number has at most 32, so that they fit.
    var waiting = 0L
    var bits = 0
    var at = 0
    var i = 0
    while (i < groups * 8) {
      if (i < size) waiting |= (numbers(i) & 0xffffffffL) << bits
      bits += width
      while (bits >= 8) {
        bytes(at) = waiting.toByte
        at += 1
        waiting >>>= 8
        bits -= 8
      }
      i += 1
    }
    bytes
  }
}
