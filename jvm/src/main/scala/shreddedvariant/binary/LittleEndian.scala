/** Numbers in arrays of bytes, the lowest byte first, whatever the machine has. The bytes are known to be there. */
package shreddedvariant.binary

import java.nio.ByteOrder

import org.apache.spark.unsafe.Platform

object LittleEndian {
  private val isNative = ByteOrder.nativeOrder == ByteOrder.LITTLE_ENDIAN

  def int(bytes: Array[Byte], at: Int): Int = ordered(Platform.getInt(bytes, place(at)))
  def long(bytes: Array[Byte], at: Int): Long = ordered(Platform.getLong(bytes, place(at)))

  def put(bytes: Array[Byte], at: Int, value: Int): Unit = Platform.putInt(bytes, place(at), ordered(value))
  def put(bytes: Array[Byte], at: Int, value: Long): Unit = Platform.putLong(bytes, place(at), ordered(value))

  private def place(at: Int) = Platform.BYTE_ARRAY_OFFSET + at.toLong
  private def ordered(value: Int) = if (isNative) value else Integer.reverseBytes(value)
  private def ordered(value: Long) = if (isNative) value else java.lang.Long.reverseBytes(value)
}
