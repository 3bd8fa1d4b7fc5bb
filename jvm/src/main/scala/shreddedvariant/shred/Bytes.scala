/** A growing byte array in which one variant or one text is built, up to a limit. */
package shreddedvariant.shred

import java.util.Arrays

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.binary.Encoding

/**
 * `tooLarge` raises the error for more than `limit` bytes.
 *
 * Law: only bytes that are final count for the limit. The gaps before open headers do not: a header may become
 * smaller than its gap. Only the growth of the array is checked, so a result may exceed `limit` by less than
 * `initial`.
 */
final class Bytes(
    initial: Int,
    limit: Int = Bytes.MaxLength,
    tooLarge: => Nothing = Encoding.malformed("it is beyond 2 GiB")
) {
  private var array = new Array[Byte](initial)
  private var used = 0
  private var gaps = 0

  /** The backing array, of which the first [[length]] bytes are valid. */
  def raw: Array[Byte] = array
  def length: Int = used
  def clear(): Unit = {
    used = 0
    gaps = 0
  }
  def truncate(length: Int): Unit = used = length
  def slice(from: Int, until: Int): Array[Byte] = Arrays.copyOfRange(array, from, until)

  def reserve(count: Int): Unit = {
    val needed = used.toLong + count
    if (needed > array.length) {
      checkLimit(count)
      if (needed > Bytes.MaxLength) Encoding.malformed("it is beyond 2 GiB")
      val most = math.min(Bytes.MaxLength.toLong, limit.toLong + gaps)
      array = Arrays.copyOf(array, math.max(needed, math.min(most, array.length * 2L)).toInt)
    }
  }

  /** Refuses `count` more bytes if they would exceed the limit. */
  def checkLimit(count: Long): Unit = if (used.toLong - gaps + count > limit) tooLarge

  def put(byte: Byte): Unit = {
    reserve(1)
    array(used) = byte
    used += 1
  }

  /** The low `width` bytes of a number, little-endian. */
  def putNumber(number: Long, width: Int): Unit = {
    reserve(width)
    setNumber(used, number, width)
    used += width
  }

  def setNumber(at: Int, number: Long, width: Int): Unit = {
    var i = 0
    while (i < width) {
      array(at + i) = (number >>> (8 * i)).toByte
      i += 1
    }
  }

  def put(bytes: Array[Byte], from: Int, count: Int): Unit = {
    reserve(count)
    System.arraycopy(bytes, from, array, used, count)
    used += count
  }

  /** Appends the bytes of a vector's string without an intermediate copy. */
  def put(text: UTF8String): Unit = {
    val count = text.numBytes
    reserve(count)
    val offset = text.getBaseOffset
    text.getBaseObject match {
      case bytes: Array[Byte] =>
        System.arraycopy(bytes, (offset - Platform.BYTE_ARRAY_OFFSET).toInt, array, used, count)
      case other => Platform.copyMemory(other, offset, array, Platform.BYTE_ARRAY_OFFSET + used, count)
    }
    used += count
  }

  /** Appends `count` bytes that are set later. */
  def skip(count: Int): Unit = {
    reserve(count)
    used += count
  }

  /** Appends a gap for a header whose size is not yet known. [[closeGap]] ends it. */
  def openGap(width: Int): Unit = {
    gaps += width
    skip(width)
  }

  def closeGap(width: Int): Unit = gaps -= width

  /** Changes the width of the gap at `at` from `width` to `needed` by moving the bytes after the gap. */
  def resizeGap(at: Int, width: Int, needed: Int): Unit =
    if (needed != width) {
      reserve(math.max(needed - width, 0))
      System.arraycopy(array, at + width, array, at + needed, used - at - width)
      used += needed - width
    }
}

object Bytes {
  private val MaxLength = Int.MaxValue - 16
}
