/**
 * Encodes the bounds of a variant's paths for statistics: an object with normalized paths as keys, and scalars
 * of the paths' types as values (the RFC: Statistics for Variant Columns). In JSON the object is a Z85 text of
 * its bytes.
 *
 * {{{
 *   z85( metadata | value ),  value = { "$['a']" : "min-string", "$['b']['c']" : 1 }
 * }}}
 * A bound has the width of its column, so that the lower and the upper bound of a path have the same type.
 */
package shreddedvariant.delta

import java.io.ByteArrayOutputStream
import java.math.{BigDecimal, BigInteger}

import scala.util.control.NonFatal

import shreddedvariant.binary.{Budget, Dictionary, Encoding, ObjectHeader}
import shreddedvariant.layout.{ScalarType, Shape}
import shreddedvariant.stats.Datum

final case class VariantBound(path: String, scalar: ScalarType, value: Datum)

object VariantBounds {

  /** None if a value cannot be written as a bound. */
  def encode(bounds: Seq[VariantBound]): Option[String] = {
    val ordered = bounds.sortWith((a, b) => Shape.compareKeys(Shape.utf8(a.path), Shape.utf8(b.path)) < 0)
    val values = ordered.flatMap(bound => scalar(bound.scalar, bound.value))
    Option.when(values.size == bounds.size) {
      Z85.encode(metadata(ordered.map(bound => Shape.utf8(bound.path))) ++ obj(values))
    }
  }

  /**
   * The bounds by path; empty if the text does not have this format. Law: the fields of an object have their
   * own keys and values ([[Budget]]), so paths and texts together are no longer than the bytes.
   */
  def decode(text: String): Map[String, VariantBound] =
    Z85.decode(text).fold(Map.empty[String, VariantBound]) { bytes =>
      try {
        val keys = new Dictionary(bytes)
        val value = bytes.drop(Dictionary.lengthIn(bytes))
        if (Encoding.basicType(value, 0) != Encoding.Object) Map.empty
        else {
          val fields = new ObjectHeader(value, 0)
          val budget = new Budget(bytes.length)
          (0 until fields.size).flatMap { i =>
            val id = keys.checkId(fields.id(i))
            budget.take(keys.keyEnd(id) - keys.keyStart(id))
            val path = keys.key(id)
            read(value, fields.position(i)).map { case (scalar, datum) =>
              datum match {
                case Datum.Bytes(content) => budget.take(content.length)
                case _ =>
              }
              path -> VariantBound(path, scalar, datum)
            }
          }.toMap
        }
      } catch { case NonFatal(_) => Map.empty }
    }

  // ---- bytes ----

  private def metadata(keys: Seq[Array[Byte]]): Array[Byte] = {
    val out = new ByteArrayOutputStream
    val width = Encoding.widthOf(math.max(keys.map(_.length).sum, keys.size))
    out.write((width - 1) << 6 | 1)
    number(out, keys.size.toLong, width)
    keys.scanLeft(0)(_ + _.length).foreach(offset => number(out, offset.toLong, width))
    keys.foreach(out.writeBytes)
    out.toByteArray
  }

  /** Fields are sorted by key, and the keys in the metadata have the same order. */
  private def obj(values: Seq[Array[Byte]]): Array[Byte] = {
    val out = new ByteArrayOutputStream
    val isLarge = values.size > 0xff
    val (idWidth, offsetWidth) = (Encoding.widthOf(values.size), Encoding.widthOf(values.map(_.length).sum))
    out.write(Encoding.objectHeader(isLarge, idWidth, offsetWidth).toInt)
    number(out, values.size.toLong, if (isLarge) 4 else 1)
    values.indices.foreach(id => number(out, id.toLong, idWidth))
    values.scanLeft(0)(_ + _.length).foreach(offset => number(out, offset.toLong, offsetWidth))
    values.foreach(out.writeBytes)
    out.toByteArray
  }

  private def scalar(scalarType: ScalarType, value: Datum): Option[Array[Byte]] = {
    def fixed(id: Int, number: Long, width: Int) = bytes(id)(this.number(_, number, width))
    (scalarType, value) match {
      case (ScalarType.Bool, Datum.Exact(flag)) =>
        Some(bytes(if (flag.signum == 0) Encoding.False else Encoding.True)(_ => ()))
      case (ScalarType.Float32, Datum.Floating(number)) =>
        Some(fixed(Encoding.Float32, java.lang.Float.floatToIntBits(number.toFloat).toLong, 4))
      case (ScalarType.Float64, Datum.Floating(number)) =>
        Some(fixed(Encoding.Float64, java.lang.Double.doubleToLongBits(number), 8))
      case (ScalarType.Str, Datum.Bytes(text)) if text.length <= Encoding.MaxShortString =>
        Some(Encoding.shortStringHeader(text.length) +: text)
      case (ScalarType.Str, Datum.Bytes(text)) => Some(sized(Encoding.LongString, text))
      case (ScalarType.Binary, Datum.Bytes(content)) => Some(sized(Encoding.Binary, content))
      case (ScalarType.Uuid, Datum.Bytes(id)) =>
        Option.when(id.length == UuidBytes)(bytes(Encoding.Uuid)(_.writeBytes(id)))
      case (ScalarType.Dec(precision, scale), Datum.Exact(number)) => decimal(number, precision, scale)
      case (integral, Datum.Exact(number)) =>
        Widths.find(_._1 == integral).map { case (_, id, width) => fixed(id, number.longValueExact, width) }
      case _ => None
    }
  }

  private val Widths: Seq[(ScalarType, Int, Int)] = Seq(
    (ScalarType.Int8, Encoding.Int8, 1),
    (ScalarType.Int16, Encoding.Int16, 2),
    (ScalarType.Int32, Encoding.Int32, 4),
    (ScalarType.Int64, Encoding.Int64, 8),
    (ScalarType.Date, Encoding.Date, 4),
    (ScalarType.Time, Encoding.Time, 8),
    (ScalarType.Timestamp, Encoding.Timestamp, 8),
    (ScalarType.TimestampNtz, Encoding.TimestampNtz, 8),
    (ScalarType.TimestampNanos, Encoding.TimestampNanos, 8),
    (ScalarType.TimestampNtzNanos, Encoding.TimestampNtzNanos, 8)
  )

  private val UuidBytes = 16

  private def decimal(value: BigDecimal, precision: Int, scale: Int): Option[Array[Byte]] = {
    val unscaled = value.setScale(scale).unscaledValue
    val (id, width) =
      if (precision <= 9) (Encoding.Decimal4, 4)
      else if (precision <= 18) (Encoding.Decimal8, 8)
      else (Encoding.Decimal16, 16)
    Option.when(unscaled.bitLength < 8 * width)(bytes(id) { out =>
      out.write(scale)
      for (i <- 0 until width) out.write(unscaled.shiftRight(8 * i).intValue & 0xff)
    })
  }

  private def sized(id: Int, content: Array[Byte]) = bytes(id) { out =>
    number(out, content.length.toLong, 4)
    out.writeBytes(content)
  }

  private def bytes(id: Int)(body: ByteArrayOutputStream => Unit): Array[Byte] = {
    val out = new ByteArrayOutputStream
    out.write(Encoding.primitiveHeader(id).toInt)
    body(out)
    out.toByteArray
  }

  private def number(out: ByteArrayOutputStream, number: Long, width: Int): Unit =
    for (i <- 0 until width) out.write((number >>> (8 * i)).toInt & 0xff)

  // ---- values ----

  /** The scalar at `at`; None for other values, and for values without an order. */
  private[delta] def read(bytes: Array[Byte], at: Int): Option[(ScalarType, Datum)] = {
    def slice(from: Int, size: Int) = {
      Encoding.check(bytes, from, size)
      Datum.Bytes(bytes.slice(from, from + size))
    }
    def sized = slice(at + 5, Encoding.unsigned(bytes, at + 1, 4))
    def decimal(precision: Int, width: Int) = {
      val scale = Encoding.byteAt(bytes, at + 1)
      val unscaled = new BigInteger(slice(at + 2, width).bytes.reverse)
      (ScalarType.Dec(precision, scale), Datum.Exact(new BigDecimal(unscaled, scale)))
    }
    val id = Encoding.primitiveId(bytes, at)
    id match {
      case Encoding.NotPrimitive if Encoding.basicType(bytes, at) == Encoding.ShortString =>
        Some((ScalarType.Str, slice(at + 1, (bytes(at) & 0xff) >> 2)))
      case Encoding.True => Some((ScalarType.Bool, Datum.exact(1)))
      case Encoding.False => Some((ScalarType.Bool, Datum.exact(0)))
      case Encoding.Float32 =>
        val number = java.lang.Float.intBitsToFloat(Encoding.signed(bytes, at + 1, 4).toInt)
        Some((ScalarType.Float32, Datum.Floating(number.toDouble)))
      case Encoding.Float64 =>
        Some((
          ScalarType.Float64,
          Datum.Floating(java.lang.Double.longBitsToDouble(Encoding.signed(bytes, at + 1, 8)))
        ))
      case Encoding.Decimal4 => Some(decimal(9, 4))
      case Encoding.Decimal8 => Some(decimal(18, 8))
      case Encoding.Decimal16 => Some(decimal(ScalarType.MaxPrecision, 16))
      case Encoding.LongString => Some((ScalarType.Str, sized))
      case Encoding.Binary => Some((ScalarType.Binary, sized))
      case Encoding.Uuid => Some((ScalarType.Uuid, slice(at + 1, UuidBytes)))
      case _ =>
        Widths.find(_._2 == id).map { case (scalar, _, width) =>
          (scalar, Datum.exact(Encoding.signed(bytes, at + 1, width)))
        }
    }
  }
}
