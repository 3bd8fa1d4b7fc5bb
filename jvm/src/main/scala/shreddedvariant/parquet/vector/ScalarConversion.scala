/**
 * Casts values of typed columns like `VariantGet.cast`, without creating a variant.
 *
 * The most frequent pairs of types use primitive values; the others call Spark's cast.
 */
package shreddedvariant.parquet.vector

import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector
import shreddedvariant.layout.ScalarType
import shreddedvariant.layout.ScalarType._
import shreddedvariant.stats.ScalarCast

/**
 * Converts row `at` of `from` into row `row` of `to`. False if the cast fails because the value does not fit
 * the target.
 */
abstract class ScalarConversion {
  def convert(from: ColumnVector, at: Int, to: WritableColumnVector, row: Int): Boolean
}

object ScalarConversion {

  /** Whether the values of a column of this type are the result without a conversion. */
  def isIdentity(scalar: ScalarType, target: DataType): Boolean = scalar match {
    case Int8 | Int16 | Int32 => target == IntegerType
    case Int64 => target == LongType
    case Time | TimestampNanos | TimestampNtzNanos | Uuid => false
    case other => other.decodedAs == target
  }

  /**
   * None if Spark does not have the column's type or the target is not a scalar: these casts need a variant.
   */
  def find(scalar: ScalarType, target: DataType, cast: ScalarCast): Option[ScalarConversion] =
    if (!ScalarCast.isScalar(target)) None else common(scalar, target).orElse(byCast(scalar, target, cast))

  private def common(scalar: ScalarType, target: DataType): Option[ScalarConversion] = scalar match {
    case Int8 | Int16 | Int32 => fromInteger(target, (v, at) => v.getInt(at).toLong)
    case Int64 => fromInteger(target, (v, at) => v.getLong(at))
    case Float32 if target == FloatType => Some(write((v, at, to, row) => to.putFloat(row, v.getFloat(at))))
    case Float32 if target == DoubleType =>
      Some(write((v, at, to, row) => to.putDouble(row, v.getFloat(at).toDouble)))
    case Float64 if target == DoubleType =>
      Some(write((v, at, to, row) => to.putDouble(row, v.getDouble(at))))
    case Float64 if target == FloatType =>
      Some(write((v, at, to, row) => to.putFloat(row, v.getDouble(at).toFloat)))
    case Bool if target == BooleanType =>
      Some(write((v, at, to, row) => to.putBoolean(row, v.getBoolean(at))))
    case Date if target == DateType => Some(write((v, at, to, row) => to.putInt(row, v.getInt(at))))
    case Timestamp if target == TimestampType => Some(copyLong)
    case TimestampNtz if target == TimestampNTZType => Some(copyLong)
    case Str if target == StringType => Some(copyBytes)
    case Binary if target == BinaryType => Some(copyBytes)
    case Dec(p, s) if target == DecimalType(p, s) =>
      Some(write((v, at, to, row) => to.putDecimal(row, v.getDecimal(at, p, s), p)))
    case Dec(p, s) if target == DoubleType =>
      Some(write((v, at, to, row) => to.putDouble(row, v.getDecimal(at, p, s).toDouble)))
    case _ => None
  }

  private def fromInteger(target: DataType, get: (ColumnVector, Int) => Long): Option[ScalarConversion] =
    target match {
      case ByteType =>
        Some(narrow(get, Byte.MinValue, Byte.MaxValue, (to, row, n) => to.putByte(row, n.toByte)))
      case ShortType =>
        Some(narrow(get, Short.MinValue, Short.MaxValue, (to, row, n) => to.putShort(row, n.toShort)))
      case IntegerType =>
        Some(narrow(get, Int.MinValue, Int.MaxValue, (to, row, n) => to.putInt(row, n.toInt)))
      case LongType => Some(write((v, at, to, row) => to.putLong(row, get(v, at))))
      case FloatType => Some(write((v, at, to, row) => to.putFloat(row, get(v, at).toFloat)))
      case DoubleType => Some(write((v, at, to, row) => to.putDouble(row, get(v, at).toDouble)))
      case StringType =>
        Some(write { (v, at, to, row) =>
          val text = java.lang.Long.toString(get(v, at)).getBytes("US-ASCII")
          to.putByteArray(row, text)
          ()
        })
      case _ => None
    }

  private def byCast(scalar: ScalarType, target: DataType, cast: ScalarCast): Option[ScalarConversion] = {
    def by(value: (ColumnVector, Int) => Any, to: Any => Any) = Some(new ScalarConversion {
      override def convert(from: ColumnVector, at: Int, out: WritableColumnVector, row: Int): Boolean = {
        val result = to(value(from, at))
        if (result != null) ScalarPut(out, row, result, target)
        result != null
      }
    })
    scalar match {
      case Bool => by((v, at) => v.getBoolean(at), cast.ofBoolean)
      case Int8 | Int16 | Int32 => by((v, at) => v.getInt(at).toLong, cast.ofLong)
      case Int64 => by((v, at) => v.getLong(at), cast.ofLong)
      case Float32 => by((v, at) => v.getFloat(at), cast.ofFloat)
      case Float64 => by((v, at) => v.getDouble(at), cast.ofDouble)
      case Dec(p, s) => by((v, at) => withoutZeros(v.getDecimal(at, p, s)), cast.ofDecimal)
      case Date => by((v, at) => v.getInt(at), cast.ofDate)
      case Timestamp => by((v, at) => v.getLong(at), cast.ofTimestamp)
      case TimestampNtz => by((v, at) => v.getLong(at), cast.ofTimestampNtz)
      case Binary => by((v, at) => v.getBinary(at), cast.ofBinary)
      case Str => by((v, at) => v.getUTF8String(at), cast.ofString)
      case Time | TimestampNanos | TimestampNtzNanos | Uuid => None
    }
  }

  private def withoutZeros(decimal: Decimal) = Decimal(decimal.toJavaBigDecimal.stripTrailingZeros)

  private def narrow(
      get: (ColumnVector, Int) => Long,
      min: Long,
      max: Long,
      put: (WritableColumnVector, Int, Long) => Unit
  ): ScalarConversion = new ScalarConversion {
    override def convert(from: ColumnVector, at: Int, to: WritableColumnVector, row: Int): Boolean = {
      val number = get(from, at)
      val fits = number >= min && number <= max
      if (fits) put(to, row, number)
      fits
    }
  }

  private def write(body: (ColumnVector, Int, WritableColumnVector, Int) => Unit): ScalarConversion =
    new ScalarConversion {
      override def convert(from: ColumnVector, at: Int, to: WritableColumnVector, row: Int): Boolean = {
        body(from, at, to, row)
        true
      }
    }

  private val copyLong = write((v, at, to, row) => to.putLong(row, v.getLong(at)))

  private val copyBytes = write { (v, at, to, row) =>
    to.putByteArray(row, v.getBinary(at))
    ()
  }
}
