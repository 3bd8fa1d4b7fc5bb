/** Numbers in arrays of bytes, the lowest byte first, whatever the machine has. The bytes are known to be there. */
package shreddedvariant.binary

import java.nio.ByteOrder

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

  def put(bytes: Array[Byte], at: Int, value: Int): Unit = Platform.putInt(bytes, place(at), ordered(value))
  def put(bytes: Array[Byte], at: Int, value: Long): Unit = Platform.putLong(bytes, place(at), ordered(value))

  private def place(at: Int) = Platform.BYTE_ARRAY_OFFSET + at.toLong
  private def ordered(value: Int) = if (isNative) value else Integer.reverseBytes(value)
  private def ordered(value: Long) = if (isNative) value else java.lang.Long.reverseBytes(value)
}
