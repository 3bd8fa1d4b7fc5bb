/**
 * Casts of typed columns that need no variant in between: what `VariantGet.cast` does, for the pairs of types that
 * queries ask for most. A pair that is not here goes through a scalar variant and Spark's own cast.
 */
package shreddedvariant.parquet

import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector
import shreddedvariant.layout.ScalarType
import shreddedvariant.layout.ScalarType._

/** Writes one row; false where the cast gives nothing, because the value does not fit the target. */
abstract class ScalarConversion {
  def convert(from: ColumnVector, row: Int, to: WritableColumnVector): Boolean
}

object ScalarConversion {

  /** A column of this type is the result as it stands. */
  def isIdentity(scalar: ScalarType, target: DataType): Boolean = scalar match {
    case Int8 | Int16 | Int32 => target == IntegerType
    case Int64 => target == LongType
    case Time | TimestampNanos | TimestampNtzNanos | Uuid => false
    case other => ScalarType.decodedAs(other) == target
  }

  def find(scalar: ScalarType, target: DataType): Option[ScalarConversion] = scalar match {
    case Int8 | Int16 | Int32 => fromInteger(target, (v, row) => v.getInt(row).toLong)
    case Int64 => fromInteger(target, (v, row) => v.getLong(row))
    case Float32 if target == FloatType => Some(write((v, row, to) => to.putFloat(row, v.getFloat(row))))
    case Float32 if target == DoubleType =>
      Some(write((v, row, to) => to.putDouble(row, v.getFloat(row).toDouble)))
    case Float64 if target == DoubleType => Some(write((v, row, to) => to.putDouble(row, v.getDouble(row))))
    case Float64 if target == FloatType =>
      Some(write((v, row, to) => to.putFloat(row, v.getDouble(row).toFloat)))
    case Bool if target == BooleanType => Some(write((v, row, to) => to.putBoolean(row, v.getBoolean(row))))
    case Date if target == DateType => Some(write((v, row, to) => to.putInt(row, v.getInt(row))))
    case Timestamp if target == TimestampType => Some(copyLong)
    case TimestampNtz if target == TimestampNTZType => Some(copyLong)
    case Str if target == StringType => Some(copyBytes)
    case Binary if target == BinaryType => Some(copyBytes)
    case Dec(p, s) if target == DecimalType(p, s) =>
      Some(write((v, row, to) => to.putDecimal(row, v.getDecimal(row, p, s), p)))
    case Dec(p, s) if target == DoubleType =>
      Some(write((v, row, to) => to.putDouble(row, v.getDecimal(row, p, s).toDouble)))
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
      case LongType => Some(write((v, row, to) => to.putLong(row, get(v, row))))
      case FloatType => Some(write((v, row, to) => to.putFloat(row, get(v, row).toFloat)))
      case DoubleType => Some(write((v, row, to) => to.putDouble(row, get(v, row).toDouble)))
      case StringType =>
        Some(write { (v, row, to) =>
          val text = java.lang.Long.toString(get(v, row)).getBytes("US-ASCII")
          to.putByteArray(row, text)
          ()
        })
      case _ => None
    }

  private def narrow(
      get: (ColumnVector, Int) => Long,
      min: Long,
      max: Long,
      put: (WritableColumnVector, Int, Long) => Unit
  ): ScalarConversion = new ScalarConversion {
    override def convert(from: ColumnVector, row: Int, to: WritableColumnVector): Boolean = {
      val number = get(from, row)
      val fits = number >= min && number <= max
      if (fits) put(to, row, number)
      fits
    }
  }

  private def write(body: (ColumnVector, Int, WritableColumnVector) => Unit): ScalarConversion =
    new ScalarConversion {
      override def convert(from: ColumnVector, row: Int, to: WritableColumnVector): Boolean = {
        body(from, row, to)
        true
      }
    }

  private val copyLong = write((v, row, to) => to.putLong(row, v.getLong(row)))

  private val copyBytes = write { (v, row, to) =>
    to.putByteArray(row, v.getBinary(row))
    ()
  }
}
