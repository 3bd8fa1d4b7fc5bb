/**
 * The variant binary encoding: headers, sizes and bounds-checked reads.
 *
 * Every value begins with a byte of `type info << 2 | basic type`. Numbers are little-endian.
 * {{{
 *   object   header | size (1 or 4) | ids (size × idWidth) | offsets (size + 1 × offsetWidth) | data
 *   array    header | size (1 or 4) | offsets (size + 1 × offsetWidth) | data
 * }}}
 */
package shreddedvariant.binary

object Encoding {

  /** The header of a variant null, and its only byte. */
  final val NullHeader = 0
  final val Primitive = 0
  final val ShortString = 1
  final val Object = 2
  final val Array = 3

  final val Null = 0
  final val True = 1
  final val False = 2
  final val Int8 = 3
  final val Int16 = 4
  final val Int32 = 5
  final val Int64 = 6
  final val Float64 = 7
  final val Decimal4 = 8
  final val Decimal8 = 9
  final val Decimal16 = 10
  final val Date = 11
  final val Timestamp = 12
  final val TimestampNtz = 13
  final val Float32 = 14
  final val Binary = 15
  final val LongString = 16
  final val Time = 17
  final val TimestampNanos = 18
  final val TimestampNtzNanos = 19
  final val Uuid = 20

  final val MaxShortString = 63

  /**
   * The nesting depth up to which writers accept values and `verify` checks them; equal to the default of the
   * option `maxVariantDepth`.
   */
  final val MaxDepth = 1000

  /** Returned in place of a primitive's id for short strings, objects and arrays. No primitive has this id. */
  final val NotPrimitive = -1

  def basicType(bytes: Array[Byte], at: Int): Int = byteAt(bytes, at) & 3

  /** The id of the primitive at `at`, or [[NotPrimitive]]. */
  def primitiveId(bytes: Array[Byte], at: Int): Int = {
    val header = byteAt(bytes, at)
    if ((header & 3) == Primitive) (header & 0xff) >> 2 else NotPrimitive
  }

  def primitiveHeader(id: Int): Byte = (id << 2).toByte

  def shortStringHeader(length: Int): Byte = (length << 2 | ShortString).toByte

  def objectHeader(large: Boolean, idWidth: Int, offsetWidth: Int): Byte =
    ((if (large) 1 << 6 else 0) | (idWidth - 1) << 4 | (offsetWidth - 1) << 2 | Object).toByte

  def arrayHeader(large: Boolean, offsetWidth: Int): Byte =
    ((if (large) 1 << 4 else 0) | (offsetWidth - 1) << 2 | Array).toByte

  /** The number of bytes that an unsigned number needs. */
  def widthOf(number: Int): Int =
    if (number <= 0xff) 1 else if (number <= 0xffff) 2 else if (number <= 0xffffff) 3 else 4

  def byteAt(bytes: Array[Byte], at: Int): Int = {
    if (at < 0 || at >= bytes.length) truncated()
    bytes(at)
  }

  /** A little-endian unsigned number of `width` bytes that fits an Int. */
  def unsigned(bytes: Array[Byte], at: Int, width: Int): Int = {
    check(bytes, at, width)
    unchecked(bytes, at, width)
  }

  /** [[unsigned]] without the bounds check. */
  private[binary] def unchecked(bytes: Array[Byte], at: Int, width: Int): Int =
    if (width == 1) bytes(at) & 0xff
    else if (width == 2) bytes(at) & 0xff | (bytes(at + 1) & 0xff) << 8
    else {
      val low = bytes(at) & 0xff | (bytes(at + 1) & 0xff) << 8 | (bytes(at + 2) & 0xff) << 16
      val result = if (width == 3) low else low | bytes(at + 3) << 24
      if (result < 0) malformed("a size or offset is beyond 2 GiB")
      result
    }

  /** A little-endian signed number of `width` bytes: 1, 2, 4 or 8. */
  def signed(bytes: Array[Byte], at: Int, width: Int): Long = {
    check(bytes, at, width)
    if (width == 1) bytes(at).toLong
    else if (width == 2) (bytes(at) & 0xff | bytes(at + 1) << 8).toLong
    else if (width == 4) LittleEndian.int(bytes, at).toLong
    else LittleEndian.long(bytes, at)
  }

  def check(bytes: Array[Byte], at: Int, length: Int): Unit =
    if (at < 0 || length < 0 || at > bytes.length - length) truncated()

  /** The size of the value at `at`, header included; the last offset of an object or array is its data size. */
  def sizeOf(bytes: Array[Byte], at: Int): Int = {
    val size = basicType(bytes, at) match {
      case Primitive => primitiveSize(bytes, at)
      case ShortString => 1 + ((bytes(at) & 0xff) >> 2)
      case Object =>
        val o = new ObjectHeader(bytes, at)
        o.data - at.toLong + unsigned(bytes, o.offsetAt(o.size), o.offsetWidth)
      case _ =>
        val a = new ArrayHeader(bytes, at)
        a.data - at.toLong + unsigned(bytes, a.offsetAt(a.size), a.offsetWidth)
    }
    if (size > bytes.length - at) truncated()
    size.toInt
  }

  private def primitiveSize(bytes: Array[Byte], at: Int): Long = (bytes(at) & 0xff) >> 2 match {
    case Null | True | False => 1
    case Int8 => 2
    case Int16 => 3
    case Int32 | Date | Float32 => 5
    case Int64 | Float64 | Timestamp | TimestampNtz | Time | TimestampNanos | TimestampNtzNanos => 9
    case Decimal4 => 6
    case Decimal8 => 10
    case Decimal16 => 18
    case Binary | LongString => 5L + unsigned(bytes, at + 1, 4)
    case Uuid => 17
    case id => malformed(s"there is no primitive type $id")
  }

  def malformed(reason: String): Nothing = throw new MalformedVariant(reason)

  private def truncated(): Nothing = malformed("it ends too early")
}

/** A violation of the encoding. `reason` names neither file nor column: callers add these names. */
final class MalformedVariant(val reason: String) extends RuntimeException(reason, null, false, false)

/** The positions of the parts of an object. */
final class ObjectHeader(bytes: Array[Byte], at: Int) {
  private val info = (bytes(at) & 0xff) >> 2
  private val sizeWidth = if ((info & 0x10) != 0) 4 else 1
  val idWidth: Int = ((info >> 2) & 3) + 1
  val offsetWidth: Int = (info & 3) + 1
  val size: Int = Encoding.unsigned(bytes, at + 1, sizeWidth)
  private val ids = at + 1 + sizeWidth
  private val offsets: Int = Positions.of(bytes, ids, size.toLong * idWidth)
  val data: Int = Positions.of(bytes, offsets, (size + 1L) * offsetWidth)

  def idAt(i: Int): Int = ids + i * idWidth
  def offsetAt(i: Int): Int = offsets + i * offsetWidth

  /** The number of bytes of the header, the size, the ids and the offsets. */
  def length: Int = data - at

  /** The bytes of the header, the size and the ids, without the offsets. */
  def keys: Array[Byte] = java.util.Arrays.copyOfRange(bytes, at, offsets)

  /** `i` must be below `size`; the constructor checks that all ids and offsets are in the array. */
  def id(i: Int): Int = Encoding.unchecked(bytes, idAt(i), idWidth)
  def position(i: Int): Int =
    Positions.of(bytes, data, Encoding.unchecked(bytes, offsetAt(i), offsetWidth).toLong)
}

object ObjectHeader {

  /** The number of fields from which on Spark searches an object by bisection; Spark scans smaller objects. */
  final val Large = 32
}

/** The positions of the parts of an array. */
final class ArrayHeader(bytes: Array[Byte], at: Int) {
  private val info = (bytes(at) & 0xff) >> 2
  private val sizeWidth = if ((info & 0x4) != 0) 4 else 1
  val offsetWidth: Int = (info & 3) + 1
  val size: Int = Encoding.unsigned(bytes, at + 1, sizeWidth)
  private val offsets = at + 1 + sizeWidth
  val data: Int = Positions.of(bytes, offsets, (size + 1L) * offsetWidth)

  def offsetAt(i: Int): Int = offsets + i * offsetWidth

  /** The number of bytes of the header, the size and the offsets. */
  def length: Int = data - at

  def position(i: Int): Int =
    Positions.of(bytes, data, Encoding.unchecked(bytes, offsetAt(i), offsetWidth).toLong)
}

private object Positions {

  /** `start + length`, checked to be at most the length of the array. */
  def of(bytes: Array[Byte], start: Int, length: Long): Int = {
    val end = start + length
    if (end > bytes.length) Encoding.malformed("it ends too early")
    end.toInt
  }
}
