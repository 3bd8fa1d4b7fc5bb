/** Casts that keep the order of values, so that bounds of a column become bounds of the values of a query. */
package shreddedvariant.stats

import java.math.BigDecimal
import java.time.ZoneOffset

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.variant.VariantCastArgs
import org.apache.spark.sql.types._
import shreddedvariant.layout.ScalarType

/** A greater value never gives a smaller result, and the cast fails only for values outside a range. */
abstract class MonotoneCast {

  /** The result of the cast; None if it fails. */
  def apply(value: Datum): Option[Datum]

  /** Whether the cast fails for no value. */
  def isTotal: Boolean = true

  /** Whether the cast neither fails for nor changes any value. */
  def isIdentity: Boolean = false

  /** Whether the cast changes no value for which it succeeds. */
  def keepsValues: Boolean = isIdentity

  /** Whether reading the column under this type gives these values, without a cast in the query. */
  def isReading: Boolean = isIdentity
}

object MonotoneCast {
  import Datum._
  import ScalarType._

  /** The cast from a column's type to a SQL type, as for variants; None if it does not keep the order. */
  def find(from: ScalarType, to: DataType, laws: SkippingRules): Option[MonotoneCast] = (from, to) match {
    case (Bool, BooleanType) | (Date, DateType) | (Timestamp, TimestampType) | (
          TimestampNtz,
          TimestampNTZType
        ) =>
      Some(same)
    case (Str, text: StringType) =>
      Option.when(text == StringType || !laws.hold(SkippingRule.Collations))(same)
    case (Binary, BinaryType) => Some(same)
    case (Int8 | Int16 | Int32 | Int64, ByteType | ShortType | IntegerType | LongType)
        if bytes(from) <= to.defaultSize =>
      Some(same)
    case (Int8 | Int16 | Int32 | Int64, _) => fromExact(ofLong, digits(bytes(from)), 0, to)
    case (Dec(precision, scale), _) => fromExact(ofDecimal, precision - scale, scale, to)
    case (Float32 | Float64, DoubleType) | (Float32, FloatType) => Some(same)
    case (Float64, FloatType) => Some(new BySpark(ofDouble, to, isTotal = true))
    case (Float32, ByteType | ShortType | IntegerType | LongType) => Some(new BySpark(ofFloat, to))
    case (Float64, ByteType | ShortType | IntegerType | LongType) => Some(new BySpark(ofDouble, to))
    case _ => Option.unless(laws.hold(SkippingRule.OrderedCasts))(same)
  }

  /** The cast from a column to the type as which it is read; unlike [[find]], also for times and intervals. */
  def reading(from: ScalarType, to: DataType, laws: SkippingRules): Option[MonotoneCast] = (from, to) match {
    case (Time, time: TimeType) => Some(toNanos(time.precision))
    // Files have intervals as plain numbers.
    case (Int64, _: DayTimeIntervalType) | (Int32, _: YearMonthIntervalType) => Some(same)
    case _ => find(from, to, laws)
  }

  /** A cast between SQL types that never fails and keeps the order. */
  def widening(from: DataType, to: DataType): Option[MonotoneCast] = (from, to) match {
    case (a, b) if a == b => Some(same)
    case (FloatType, DoubleType) => Some(same)
    case (ByteType | ShortType | IntegerType | LongType, FloatType | DoubleType) =>
      fromExact(ofLong, 0, 0, to)
    case (ByteType | ShortType | IntegerType | LongType, ShortType | IntegerType | LongType) =>
      Option.when(from.defaultSize < to.defaultSize)(same)
    case (ByteType | ShortType | IntegerType | LongType, wide: DecimalType) =>
      Option.when(digits(from.defaultSize) <= wide.precision - wide.scale)(same)
    case (narrow: DecimalType, wide: DecimalType) =>
      val loses = narrow.scale > wide.scale || narrow.precision - narrow.scale > wide.precision - wide.scale
      Option.unless(loses)(same)
    case (_: DecimalType, DoubleType) => fromExact(ofDecimal, 0, 0, to)
    case _ => None
  }

  private def fromExact(source: Source, integerDigits: Int, scale: Int, to: DataType): Option[MonotoneCast] =
    to match {
      case decimal: DecimalType
          if scale <= decimal.scale && integerDigits <= decimal.precision - decimal.scale => Some(same)
      case decimal: DecimalType => Some(new BySpark(source, to, keepsValues = scale <= decimal.scale))
      case FloatType | DoubleType => Some(new BySpark(source, to, isTotal = true))
      case ByteType | ShortType | IntegerType | LongType =>
        Some(new BySpark(source, to, keepsValues = scale == 0))
      case _ => None
    }

  private val same: MonotoneCast = new MonotoneCast {
    override def apply(value: Datum): Option[Datum] = Some(value)
    override def isIdentity: Boolean = true
  }

  /** Times are microseconds in files, and nanoseconds in rows, truncated to the precision of their type. */
  private def toNanos(digits: Int): MonotoneCast = new MonotoneCast {
    private val (unit, nanos) = (BigDecimal.ONE.scaleByPowerOfTen(9 - digits), BigDecimal.valueOf(1000))
    override def apply(value: Datum): Option[Datum] = value match {
      case Exact(micros) => Some(Exact(micros.multiply(nanos).divideToIntegralValue(unit).multiply(unit)))
      case other => throw new MatchError(other)
    }
    override def isReading: Boolean = true
  }

  /** Spark's cast of one kind of values, null if the cast fails; None if a value is of another kind. */
  private type Source = ScalarCast => Datum => Option[Any]

  private val ofLong: Source = cast => {
    case Exact(number) => Try(number.longValueExact).toOption.map(cast.ofLong)
    case _ => None
  }

  /** Refuses numbers of too many digits, which statistics may have: their expansion could fill the memory. */
  private val ofDecimal: Source = cast => {
    case Exact(number) =>
      val digits = number.precision.toLong - number.scale
      val isDecimal = math.max(number.precision, number.scale) <= MaxPrecision && digits <= MaxPrecision
      Option.when(isDecimal)(cast.ofDecimal(Decimal(number.stripTrailingZeros)))
    case _ => None
  }

  private val ofFloat: Source = cast => {
    case Floating(number) => Some(cast.ofFloat(number.toFloat))
    case _ => None
  }

  private val ofDouble: Source = cast => {
    case Floating(number) => Some(cast.ofDouble(number))
    case _ => None
  }

  /**
   * Law: bounds go through the same cast that Spark applies to the values. A greater value never gives a
   * smaller result, and the cast fails only for values outside a range. Another way of rounding would give
   * bounds that exclude real values: Spark casts decimals to INT through DOUBLE, but to BIGINT exactly.
   */
  private final class BySpark(
      source: Source,
      to: DataType,
      override val isTotal: Boolean = false,
      override val keepsValues: Boolean = false
  ) extends MonotoneCast {
    private val cast = source(new ScalarCast(to, arguments))
    override def apply(value: Datum): Option[Datum] = cast(value).flatMap(Datum.of(_, to))
  }

  /** Casts between numbers do not use the time zone. */
  private val arguments = VariantCastArgs(failOnError = false, Some("UTC"), ZoneOffset.UTC)

  private def bytes(from: ScalarType): Int = from match {
    case Int8 => 1
    case Int16 => 2
    case Int32 => 4
    case _ => 8
  }

  /** The maximum number of decimal digits of an integer of `bytes` bytes. */
  private def digits(bytes: Int): Int = bytes match {
    case 1 => 3
    case 2 => 5
    case 4 => 10
    case _ => 19
  }
}
