/** Casts that keep the order of values: bounds of what a column holds become bounds of what a query compares. */
package shreddedvariant.stats

import java.math.{BigDecimal, RoundingMode}

import org.apache.spark.sql.types._
import shreddedvariant.layout.ScalarType

/** What the cast gives, None where it fails: from greater values never less, and it fails only beyond two limits. */
abstract class Conversion {
  def apply(value: Datum): Option[Datum]

  /** No value fails. */
  def isTotal: Boolean = true

  /** No value fails or changes. */
  def isIdentity: Boolean = false

  /** What does not fail stays what it was. */
  def keepsValues: Boolean = isIdentity

  /** What the column's values are to whoever reads it under this type, and no cast of the query's. */
  def isReading: Boolean = isIdentity
}

object Conversion {
  import Datum._
  import ScalarType._

  /** From the type of a column to that of SQL, as casts of variants go; None where the cast keeps no order. */
  def find(from: ScalarType, to: DataType, laws: Laws): Option[Conversion] = (from, to) match {
    case (Bool, BooleanType) | (Date, DateType) | (Timestamp, TimestampType) | (
          TimestampNtz,
          TimestampNTZType
        ) =>
      Some(same)
    case (Str, text: StringType) =>
      Option.when(text == StringType || !laws.hold(Law.Collations))(same)
    case (Binary, BinaryType) => Some(same)
    case (Int8 | Int16 | Int32 | Int64, ByteType | ShortType | IntegerType | LongType)
        if bytes(from) <= to.defaultSize =>
      Some(same)
    case (Int8 | Int16 | Int32 | Int64, _) => fromExact(digits(bytes(from)), 0, to)
    case (Dec(precision, scale), _) => fromExact(precision - scale, scale, to)
    case (Float32 | Float64, DoubleType) => Some(same)
    case (Float32, FloatType) => Some(same)
    case (Float64, FloatType) => Some(toFloat)
    case (Float32 | Float64, _) => integral(to).map { case (min, max) =>
        limited(min, max, 0, keepsAll = false)
      }
    case _ => Option.unless(laws.hold(Law.OrderedCasts))(same)
  }

  /** From a column to the type that it is read under: times and intervals as well, which variants of Spark lack. */
  def reading(from: ScalarType, to: DataType, laws: Laws): Option[Conversion] = (from, to) match {
    case (Time, time: TimeType) => Some(toNanos(time.precision))
    // Intervals are written as mere numbers.
    case (Int64, _: DayTimeIntervalType) | (Int32, _: YearMonthIntervalType) => Some(same)
    case _ => find(from, to, laws)
  }

  /** A cast between types of SQL that loses nothing and fails never. */
  def widening(from: DataType, to: DataType): Option[Conversion] = (from, to) match {
    case (a, b) if a == b => Some(same)
    case (FloatType, DoubleType) => Some(same)
    case (ByteType | ShortType | IntegerType | LongType, FloatType | DoubleType) => fromExact(0, 0, to)
    case (ByteType | ShortType | IntegerType | LongType, ShortType | IntegerType | LongType) =>
      Option.when(from.defaultSize < to.defaultSize)(same)
    case (ByteType | ShortType | IntegerType | LongType, wide: DecimalType) =>
      Option.when(digits(from.defaultSize) <= wide.precision - wide.scale)(same)
    case (narrow: DecimalType, wide: DecimalType) =>
      val loses = narrow.scale > wide.scale || narrow.precision - narrow.scale > wide.precision - wide.scale
      Option.unless(loses)(same)
    case (_: DecimalType, DoubleType) => fromExact(0, 0, to)
    case _ => None
  }

  private def fromExact(integerDigits: Int, scale: Int, to: DataType): Option[Conversion] = to match {
    case decimal: DecimalType =>
      val digits = decimal.precision - decimal.scale
      val limit =
        BigDecimal.ONE.scaleByPowerOfTen(digits).subtract(BigDecimal.ONE.scaleByPowerOfTen(-decimal.scale))
      if (scale <= decimal.scale && integerDigits <= digits) Some(same)
      else Some(limited(limit.negate, limit, decimal.scale, scale <= decimal.scale, RoundingMode.HALF_UP))
    case DoubleType => Some(total { case Exact(number) => Floating(number.doubleValue) })
    case FloatType => Some(total { case Exact(number) => Floating(number.floatValue.toDouble) })
    case _ => integral(to).map { case (min, max) => limited(min, max, 0, keepsAll = scale == 0) }
  }

  private val same: Conversion = new Conversion {
    override def apply(value: Datum): Option[Datum] = Some(value)
    override def isIdentity: Boolean = true
  }

  /** Times are microseconds in files and nanoseconds in rows, cut to the digits that their type has. */
  private def toNanos(digits: Int): Conversion = new Conversion {
    private val (unit, nanos) = (BigDecimal.ONE.scaleByPowerOfTen(9 - digits), BigDecimal.valueOf(1000))
    override def apply(value: Datum): Option[Datum] = value match {
      case Exact(micros) => Some(Exact(micros.multiply(nanos).divideToIntegralValue(unit).multiply(unit)))
      case other => throw new MatchError(other)
    }
    override def isReading: Boolean = true
  }

  private val toFloat = total { case Floating(number) => Floating(number.toFloat.toDouble) }

  private def total(convert: PartialFunction[Datum, Datum]): Conversion = new Conversion {
    override def apply(value: Datum): Option[Datum] = Some(convert(value))
  }

  /** Rounds to a scale and fails beyond the limits. */
  private def limited(
      min: BigDecimal,
      max: BigDecimal,
      scale: Int,
      keepsAll: Boolean,
      rounding: RoundingMode = RoundingMode.DOWN
  ): Conversion = new Conversion {
    override def isTotal: Boolean = false
    override def keepsValues: Boolean = keepsAll
    override def apply(value: Datum): Option[Datum] = {
      val number = value match {
        case Exact(number) => Some(number)
        case Floating(number) if !number.isNaN && !number.isInfinite => Some(new BigDecimal(number))
        case _ => None
      }
      number.map(_.setScale(scale, rounding)).filter(n => n.compareTo(min) >= 0 && n.compareTo(max) <= 0).map(
        Exact(_)
      )
    }
  }

  private def integral(to: DataType): Option[(BigDecimal, BigDecimal)] = {
    def range(min: Long, max: Long) = Some((BigDecimal.valueOf(min), BigDecimal.valueOf(max)))
    to match {
      case ByteType => range(Byte.MinValue, Byte.MaxValue)
      case ShortType => range(Short.MinValue, Short.MaxValue)
      case IntegerType => range(Int.MinValue, Int.MaxValue)
      case LongType => range(Long.MinValue, Long.MaxValue)
      case _ => None
    }
  }

  private def bytes(from: ScalarType): Int = from match {
    case Int8 => 1
    case Int16 => 2
    case Int32 => 4
    case _ => 8
  }

  /** Decimal digits of an integer of so many bytes. */
  private def digits(bytes: Int): Int = bytes match {
    case 1 => 3
    case 2 => 5
    case 4 => 10
    case _ => 19
  }
}
