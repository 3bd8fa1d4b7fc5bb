/** The values that predicates compare, and Spark's order of each kind of values. */
package shreddedvariant.stats

import java.math.BigDecimal
import java.util.Arrays

import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

sealed trait Datum extends Serializable

object Datum {

  /** Integers and decimals; dates, times and intervals as their numbers; booleans as 0 and 1. */
  final case class Exact(number: BigDecimal) extends Datum
  final case class Floating(number: Double) extends Datum

  /** Strings in UTF-8, and binaries. */
  final case class Bytes(bytes: Array[Byte]) extends Datum {
    override def equals(other: Any): Boolean = other match {
      case that: Bytes => Arrays.equals(bytes, that.bytes)
      case _ => false
    }
    override def hashCode: Int = Arrays.hashCode(bytes)
    override def toString: String = bytes.map(b => f"$b%02x").mkString("Bytes(", "", ")")
  }

  def exact(number: Long): Datum = Exact(BigDecimal.valueOf(number))
  val notANumber: Datum = Floating(Double.NaN)

  /** A value of a Spark row; None for NULL and for types without an order here. */
  def of(value: Any, dataType: DataType): Option[Datum] = (value, dataType) match {
    case (flag: Boolean, BooleanType) => Some(exact(if (flag) 1 else 0))
    case (number: Number, whole) if isWhole(whole) => Some(exact(number.longValue))
    case (number: Number, FloatType | DoubleType) => Some(Floating(number.doubleValue))
    case (number: Decimal, _: DecimalType) => Some(Exact(number.toJavaBigDecimal))
    case (text: UTF8String, _: StringType) => Some(Bytes(text.getBytes))
    case (bytes: Array[Byte], BinaryType) => Some(Bytes(bytes))
    case _ => None
  }

  /** Whether rows have the values of this type as whole numbers in the same order. */
  def isWhole(dataType: DataType): Boolean = dataType match {
    case BooleanType | ByteType | ShortType | IntegerType | LongType => true
    case DateType | TimestampType | TimestampNTZType | _: TimeType => true
    case _: DayTimeIntervalType | _: YearMonthIntervalType => true
    case _ => false
  }
}

/** Compares values of one kind as Spark does. */
final class DatumOrder(laws: SkippingRules) extends Ordering[Datum] {
  import Datum._

  override def compare(a: Datum, b: Datum): Int = (a, b) match {
    case (Exact(x), Exact(y)) => x.compareTo(y)
    case (Floating(x), Floating(y)) =>
      if (x == y && laws.hold(SkippingRule.NegativeZero)) 0 else java.lang.Double.compare(x, y)
    case (Bytes(x), Bytes(y)) =>
      if (laws.hold(SkippingRule.UnsignedBytes)) Arrays.compareUnsigned(x, y) else Arrays.compare(x, y)
    case _ => throw new IllegalArgumentException(s"$a and $b are not of one kind")
  }
}
