/**
 * Casts scalars of variants to one type, as `VariantGet.cast` does; null if the cast fails.
 *
 * Spark creates a literal and a cast for each value. These depend only on the kind of the value and on the
 * target, so this class creates one cast for each kind.
 */
package shreddedvariant.stats

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.variant.{VariantCastArgs, VariantGet}
import org.apache.spark.sql.types._
import org.apache.spark.types.variant.Variant
import org.apache.spark.types.variant.VariantUtil.Type
import org.apache.spark.unsafe.types.UTF8String

final class ScalarCast(target: DataType, arguments: VariantCastArgs) {
  private val row = new GenericInternalRow(1)

  lazy val ofBoolean: Any => Any = of(BooleanType)
  lazy val ofLong: Any => Any =
    if (target == TimestampType) exactly(n => VariantGet.castLongToTimestamp(n.asInstanceOf[Long]))
    else of(LongType)
  lazy val ofString: Any => Any = of(StringType)
  lazy val ofDouble: Any => Any = of(DoubleType)
  lazy val ofFloat: Any => Any = of(FloatType)
  lazy val ofDate: Any => Any = of(DateType)
  lazy val ofTimestamp: Any => Any = of(TimestampType)
  lazy val ofTimestampNtz: Any => Any = of(TimestampNTZType)
  lazy val ofBinary: Any => Any = of(BinaryType)

  /** Takes decimals without trailing zeros, of any precision: casts use the precision of the value. */
  lazy val ofDecimal: Any => Any =
    if (target == TimestampType) exactly(d => VariantGet.castDecimalToTimestamp(d.asInstanceOf[Decimal]))
    else of(if (target == DecimalType(38, 0)) DecimalType(38, 1) else DecimalType(38, 0))

  def apply(variant: Variant): Any = variant.getType match {
    case Type.BOOLEAN => ofBoolean(variant.getBoolean)
    case Type.LONG => ofLong(variant.getLong)
    case Type.STRING => ofString(UTF8String.fromString(variant.getString))
    case Type.DOUBLE => ofDouble(variant.getDouble)
    case Type.FLOAT => ofFloat(variant.getFloat)
    case Type.DECIMAL => ofDecimal(Decimal(variant.getDecimal))
    case Type.DATE => ofDate(variant.getLong.toInt)
    case Type.TIMESTAMP => ofTimestamp(variant.getLong)
    case Type.TIMESTAMP_NTZ => ofTimestampNtz(variant.getLong)
    case Type.BINARY => ofBinary(variant.getBinary)
    case _ => VariantGet.cast(variant, target, arguments)
  }

  private def of(source: DataType): Any => Any =
    if (source == target) identity
    else if (!Cast.canAnsiCast(source, target)) _ => null
    else {
      val cast = Cast(BoundReference(0, source, nullable = false), target, arguments.zoneStr, EvalMode.TRY)
      value => {
        row.update(0, value)
        cast.eval(row)
      }
    }

  private def exactly(convert: Any => Long): Any => Any = value =>
    try convert(value)
    catch { case _: ArithmeticException => null }
}

object ScalarCast {

  /** Whether a vector stores a value of this type as one entry. */
  def isScalar(target: DataType): Boolean = target match {
    case ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType | _: DecimalType => true
    case BooleanType | _: StringType | BinaryType | DateType | TimestampType | TimestampNTZType => true
    case _ => false
  }
}
