/** A growing byte array in which one variant is built. */
package shreddedvariant.shred

import java.util.Arrays

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.binary.Encoding

final class Bytes(initial: Int) {
  private var array = new Array[Byte](initial)
  private var used = 0

  /** The backing array, of which the first [[length]] bytes are valid. */
  def raw: Array[Byte] = array
  def length: Int = used
  def clear(): Unit = used = 0
  def truncate(length: Int): Unit = used = length
  def slice(from: Int, until: Int): Array[Byte] = Arrays.copyOfRange(array, from, until)

  def reserve(count: Int): Unit = {
    val needed = used.toLong + count
    if (needed > array.length) {
      if (needed > Bytes.MaxLength) Encoding.malformed("it is beyond 2 GiB")
      array = Arrays.copyOf(array, math.min(Bytes.MaxLength, math.max(needed, array.length * 2L)).toInt)
    }
  }

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
