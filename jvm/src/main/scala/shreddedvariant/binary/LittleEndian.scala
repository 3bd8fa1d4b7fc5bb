/** Little-endian numbers in byte arrays, without bounds checks, on machines of either byte order. */
package shreddedvariant.binary

import java.nio.ByteOrder

import org.apache.spark.unsafe.Platform

object LittleEndian {
  private val isNative = ByteOrder.nativeOrder == ByteOrder.LITTLE_ENDIAN

  def int(bytes: Array[Byte], at: Int): Int = littleEndian(Platform.getInt(bytes, address(at)))
  def long(bytes: Array[Byte], at: Int): Long = littleEndian(Platform.getLong(bytes, address(at)))

  /** The maximum length for [[few]]. */
  final val Few = 7

  /** The little-endian number in up to seven bytes. */
  def few(bytes: Array[Byte], at: Int, length: Int): Long =
    if (at + 8 <= bytes.length) long(bytes, at) & (1L << 8 * length) - 1
    else if (length >= 4)
      // The first and the last four bytes are adjacent or overlap; bits that overlap are equal.
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

  def put(bytes: Array[Byte], at: Int, value: Int): Unit =
    Platform.putInt(bytes, address(at), littleEndian(value))
  def put(bytes: Array[Byte], at: Int, value: Long): Unit =
    Platform.putLong(bytes, address(at), littleEndian(value))

  private def address(at: Int) = Platform.BYTE_ARRAY_OFFSET + at.toLong
  private def littleEndian(value: Int) = if (isNative) value else Integer.reverseBytes(value)
  private def littleEndian(value: Long) = if (isNative) value else java.lang.Long.reverseBytes(value)
}
