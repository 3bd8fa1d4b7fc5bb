/** Numbers in arrays of bytes, the lowest byte first, whatever the machine has. The bytes are known to be there. */
package shreddedvariant.binary

import java.nio.ByteOrder
import java.util.Arrays

import org.apache.spark.unsafe.Platform

object LittleEndian {
  private val isNative = ByteOrder.nativeOrder == ByteOrder.LITTLE_ENDIAN

  def int(bytes: Array[Byte], at: Int): Int = ordered(Platform.getInt(bytes, place(at)))
  def long(bytes: Array[Byte], at: Int): Long = ordered(Platform.getLong(bytes, place(at)))

  final val Few = 7

  /** The number of up to seven bytes. */
  def few(bytes: Array[Byte], at: Int, length: Int): Long =
    if (at + 8 <= bytes.length) long(bytes, at) & (1L << 8 * length) - 1
    else if (length >= 4)
      // Their two ends meet or overlap, with the same bits where they do.
      int(bytes, at) & 0xffffffffL | (int(bytes, at + length - 4) & 0xffffffffL) << 8 * (length - 4)
    else {
      var value = 0L
      var i = length
      while (i > 0) {
        i -= 1
        value = value << 8 | bytes(at + i) & 0xff
      }
      value
    }

  /** Whether bytes are the same, which takes no call where they are few. */
  def areEqual(a: Array[Byte], fromA: Int, b: Array[Byte], fromB: Int, length: Int): Boolean =
    if (length > Short) Arrays.equals(a, fromA, fromA + length, b, fromB, fromB + length)
    else if (length <= Few) few(a, fromA, length) == few(b, fromB, length)
    else {
      def isWord(at: Int) = long(a, fromA + at) == long(b, fromB + at)
      var i = 0
      // The last word may begin within the one before it.
      while (i + 8 < length && isWord(i)) i += 8
      i + 8 >= length && isWord(length - 8)
    }

  private final val Short = 32

  /**
   * The first bytes of a text as a number. Law: of two texts the one with the smaller number comes first in the order of
   * unsigned bytes; equal numbers tell nothing, as a text may end where another has a zero.
   */
  def comparable(bytes: Array[Byte], at: Int, length: Int): Long = {
    val first = if (length > Few) long(bytes, at) else few(bytes, at, length)
    java.lang.Long.reverseBytes(first) ^ Long.MinValue
  }

  def put(bytes: Array[Byte], at: Int, value: Int): Unit = Platform.putInt(bytes, place(at), ordered(value))
  def put(bytes: Array[Byte], at: Int, value: Long): Unit = Platform.putLong(bytes, place(at), ordered(value))

  private def place(at: Int) = Platform.BYTE_ARRAY_OFFSET + at.toLong
  private def ordered(value: Int) = if (isNative) value else Integer.reverseBytes(value)
  private def ordered(value: Long) = if (isNative) value else java.lang.Long.reverseBytes(value)
}
