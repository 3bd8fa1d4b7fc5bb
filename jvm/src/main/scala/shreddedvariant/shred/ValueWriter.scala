/** Writes variant values in the binary encoding; integers and decimals get the narrowest width that fits. */
package shreddedvariant.shred

import java.math.BigInteger

import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.binary.Encoding

object ValueWriter {
  import Encoding._

  private val Decimal16Width = 16

  def variantNull(out: Bytes): Unit = out.put(primitiveHeader(Null))

  def boolean(out: Bytes, value: Boolean): Unit = out.put(primitiveHeader(if (value) True else False))

  def integer(out: Bytes, value: Long): Unit =
    if (value == value.toByte) number(out, Int8, value, 1)
    else if (value == value.toShort) number(out, Int16, value, 2)
    else if (value == value.toInt) number(out, Int32, value, 4)
    else number(out, Int64, value, 8)

  def float32(out: Bytes, value: Float): Unit =
    number(out, Float32, java.lang.Float.floatToRawIntBits(value), 4)

  def float64(out: Bytes, value: Double): Unit =
    number(out, Float64, java.lang.Double.doubleToRawLongBits(value), 8)

  /** Writes a type whose value is one number of a fixed width, such as a date or a timestamp. */
  def number(out: Bytes, id: Int, value: Long, width: Int): Unit = {
    out.put(primitiveHeader(id))
    out.putNumber(value, width)
  }

  def decimal(out: Bytes, unscaled: Long, scale: Int): Unit =
    if (scale <= 9 && unscaled > -1000000000L && unscaled < 1000000000L)
      decimal(out, Decimal4, unscaled, scale, 4)
    else if (scale <= 18 && unscaled > -1000000000000000000L && unscaled < 1000000000000000000L)
      decimal(out, Decimal8, unscaled, scale, 8)
    else decimal16(out, BigInteger.valueOf(unscaled), scale)

  /** `unscaled` is a big-endian two's complement number of at most 38 digits. */
  def decimal(out: Bytes, unscaled: Array[Byte], scale: Int): Unit = {
    if (unscaled.length == 0) malformed("a decimal has no digits")
    val number = new BigInteger(unscaled)
    if (number.bitLength < 64) decimal(out, number.longValue, scale) else decimal16(out, number, scale)
  }

  private def decimal(out: Bytes, id: Int, unscaled: Long, scale: Int, width: Int): Unit = {
    out.put(primitiveHeader(id))
    out.put(scale.toByte)
    out.putNumber(unscaled, width)
  }

  private val Beyond38Digits = BigInteger.TEN.pow(38)

  private def decimal16(out: Bytes, unscaled: BigInteger, scale: Int): Unit = {
    if (unscaled.abs.compareTo(Beyond38Digits) >= 0) malformed("a decimal has more than 38 digits")
    out.put(primitiveHeader(Decimal16))
    out.put(scale.toByte)
    val bytes = unscaled.toByteArray
    var i = 0
    while (i < Decimal16Width) {
      out.put(if (i < bytes.length) bytes(bytes.length - 1 - i)
      else if (unscaled.signum < 0) (-1).toByte
      else 0.toByte)
      i += 1
    }
  }

  def string(out: Bytes, value: UTF8String): Unit = {
    stringHeader(out, value.numBytes)
    out.put(value)
  }

  def string(out: Bytes, bytes: Array[Byte], from: Int, until: Int): Unit = {
    stringHeader(out, until - from)
    out.put(bytes, from, until - from)
  }

  private def stringHeader(out: Bytes, length: Int): Unit =
    if (length <= MaxShortString) out.put(shortStringHeader(length))
    else lengthHeader(out, LongString, length)

  def binary(out: Bytes, value: UTF8String): Unit = {
    lengthHeader(out, Binary, value.numBytes)
    out.put(value)
  }

  def uuid(out: Bytes, value: UTF8String): Unit = {
    out.put(primitiveHeader(Uuid))
    out.put(value)
  }

  private def lengthHeader(out: Bytes, id: Int, length: Int): Unit = {
    out.put(primitiveHeader(id))
    out.putNumber(length, 4)
  }

  /**
   * Writes the header of an object at `start`, into the `reserved` free bytes before its data, and returns the
   * size of the header. The data is moved only if the size differs from `reserved`. `ids` and `offsets` are in
   * the order of the keys; offsets count from the start of the data.
   */
  def closeObject(
      out: Bytes,
      start: Int,
      reserved: Int,
      size: Int,
      ids: Array[Int],
      offsets: Array[Int]
  ): Int = {
    val dataSize = out.length - start - reserved
    var maxId = 0
    var i = 0
    while (i < size) { if (ids(i) > maxId) maxId = ids(i); i += 1 }
    val large = size > 0xff
    val sizeWidth = if (large) 4 else 1
    val idWidth = widthOf(maxId)
    val offsetWidth = widthOf(dataSize)
    val header = 1 + sizeWidth + size * idWidth + (size + 1) * offsetWidth
    out.resizeGap(start, reserved, header)
    out.raw(start) = objectHeader(large, idWidth, offsetWidth)
    out.setNumber(start + 1, size, sizeWidth)
    var at = start + 1 + sizeWidth
    i = 0
    while (i < size) { out.setNumber(at, ids(i), idWidth); at += idWidth; i += 1 }
    i = 0
    while (i < size) { out.setNumber(at, offsets(i), offsetWidth); at += offsetWidth; i += 1 }
    out.setNumber(at, dataSize, offsetWidth)
    header
  }

  /** Writes the header of an array at `start`, like [[closeObject]]. */
  def closeArray(out: Bytes, start: Int, reserved: Int, size: Int, offsets: Array[Int]): Int = {
    val dataSize = out.length - start - reserved
    val large = size > 0xff
    val sizeWidth = if (large) 4 else 1
    val offsetWidth = widthOf(dataSize)
    val header = 1 + sizeWidth + (size + 1) * offsetWidth
    out.resizeGap(start, reserved, header)
    out.raw(start) = arrayHeader(large, offsetWidth)
    out.setNumber(start + 1, size, sizeWidth)
    var at = start + 1 + sizeWidth
    var i = 0
    while (i < size) { out.setNumber(at, offsets(i), offsetWidth); at += offsetWidth; i += 1 }
    out.setNumber(at, dataSize, offsetWidth)
    header
  }
}
