/** The scalar types of a variant and the Parquet types that hold them (specification: Shredded Value Types). */
package shreddedvariant.layout

import org.apache.parquet.schema.LogicalTypeAnnotation
import org.apache.parquet.schema.LogicalTypeAnnotation._
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.parquet.schema.Type.Repetition
import org.apache.parquet.schema.Types
import org.apache.spark.sql.types._

sealed abstract class ScalarType(val ddl: String) extends Serializable

object ScalarType {
  case object Bool extends ScalarType("BOOLEAN")
  case object Int8 extends ScalarType("TINYINT")
  case object Int16 extends ScalarType("SMALLINT")
  case object Int32 extends ScalarType("INT")
  case object Int64 extends ScalarType("BIGINT")
  case object Float32 extends ScalarType("FLOAT")
  case object Float64 extends ScalarType("DOUBLE")
  final case class Dec(precision: Int, scale: Int) extends ScalarType(s"DECIMAL($precision,$scale)")
  case object Date extends ScalarType("DATE")
  case object Time extends ScalarType("TIME")
  case object Timestamp extends ScalarType("TIMESTAMP")
  case object TimestampNtz extends ScalarType("TIMESTAMP_NTZ")
  case object TimestampNanos extends ScalarType("TIMESTAMP_NANOS")
  case object TimestampNtzNanos extends ScalarType("TIMESTAMP_NTZ_NANOS")
  case object Binary extends ScalarType("BINARY")
  case object Str extends ScalarType("STRING")
  case object Uuid extends ScalarType("UUID")

  val MaxPrecision = 38

  private val numbers = Seq(Int8, Int16, Int32, Int64, Float32, Float64)
  private val times = Seq(Date, Time, Timestamp, TimestampNtz, TimestampNanos, TimestampNtzNanos)

  /** The types whose DDL has no parameters. */
  val simple: Seq[ScalarType] = (Bool +: numbers) ++ times ++ Seq(Binary, Str, Uuid)

  /** The column that the writer creates for a type. */
  def toParquet(scalar: ScalarType, name: String): PrimitiveType = {
    def column(physical: PrimitiveTypeName, logical: LogicalTypeAnnotation = null, length: Int = 0) = {
      val builder = Types.primitive(physical, Repetition.OPTIONAL)
      if (length > 0) builder.length(length)
      (if (logical == null) builder else builder.as(logical)).named(name)
    }
    scalar match {
      case Bool => column(BOOLEAN)
      case Int8 => column(INT32, intType(8, true))
      case Int16 => column(INT32, intType(16, true))
      case Int32 => column(INT32)
      case Int64 => column(INT64)
      case Float32 => column(FLOAT)
      case Float64 => column(DOUBLE)
      case Dec(p, s) if p <= Decimal.MAX_INT_DIGITS => column(INT32, decimalType(s, p))
      case Dec(p, s) if p <= Decimal.MAX_LONG_DIGITS => column(INT64, decimalType(s, p))
      case Dec(p, s) => column(FIXED_LEN_BYTE_ARRAY, decimalType(s, p), Decimal.minBytesForPrecision(p))
      case Date => column(INT32, dateType())
      case Time => column(INT64, timeType(false, TimeUnit.MICROS))
      case Timestamp => column(INT64, timestampType(true, TimeUnit.MICROS))
      case TimestampNtz => column(INT64, timestampType(false, TimeUnit.MICROS))
      case TimestampNanos => column(INT64, timestampType(true, TimeUnit.NANOS))
      case TimestampNtzNanos => column(INT64, timestampType(false, TimeUnit.NANOS))
      case Binary => column(BINARY)
      case Str => column(BINARY, stringType())
      case Uuid => column(FIXED_LEN_BYTE_ARRAY, uuidType(), 16)
    }
  }

  /** The type of a file's column; None if the specification has no such type. */
  def fromParquet(column: PrimitiveType): Option[ScalarType] =
    (column.getPrimitiveTypeName, column.getLogicalTypeAnnotation) match {
      case (BOOLEAN, null) => Some(Bool)
      case (FLOAT, null) => Some(Float32)
      case (DOUBLE, null) => Some(Float64)
      case (BINARY, null) => Some(Binary)
      case (BINARY, _: StringLogicalTypeAnnotation) => Some(Str)
      case (INT32, null) => Some(Int32)
      case (INT64, null) => Some(Int64)
      case (INT32 | INT64, int: IntLogicalTypeAnnotation) if int.isSigned =>
        int.getBitWidth match {
          case 8 => Some(Int8)
          case 16 => Some(Int16)
          case 32 => Some(Int32)
          case 64 => Some(Int64)
          case _ => None
        }
      case (INT32 | INT64 | BINARY | FIXED_LEN_BYTE_ARRAY, decimal: DecimalLogicalTypeAnnotation)
          if decimal.getPrecision <= MaxPrecision =>
        Some(Dec(decimal.getPrecision, decimal.getScale))
      case (INT32, _: DateLogicalTypeAnnotation) => Some(Date)
      case (INT64, time: TimeLogicalTypeAnnotation)
          if !time.isAdjustedToUTC && time.getUnit == TimeUnit.MICROS =>
        Some(Time)
      case (INT64, timestamp: TimestampLogicalTypeAnnotation) =>
        (timestamp.isAdjustedToUTC, timestamp.getUnit) match {
          case (true, TimeUnit.MICROS) => Some(Timestamp)
          case (false, TimeUnit.MICROS) => Some(TimestampNtz)
          case (true, TimeUnit.NANOS) => Some(TimestampNanos)
          case (false, TimeUnit.NANOS) => Some(TimestampNtzNanos)
          case _ => None
        }
      case (FIXED_LEN_BYTE_ARRAY, _: UUIDLogicalTypeAnnotation) if column.getTypeLength == 16 => Some(Uuid)
      case _ => None
    }

  /**
   * The Spark type as which a column is decoded, without rebasing and without a time zone, because a variant
   * has the same numbers as the column. Types that Spark lacks are decoded as their physical numbers.
   */
  def decodedAs(scalar: ScalarType): DataType = scalar match {
    case Bool => BooleanType
    case Int8 | Int16 | Int32 => IntegerType
    case Float32 => FloatType
    case Float64 => DoubleType
    case Dec(p, s) => DecimalType(p, s)
    case Date => DateType
    case Timestamp => TimestampType
    case TimestampNtz => TimestampNTZType
    case Str => StringType
    case Binary | Uuid => BinaryType
    case Int64 | Time | TimestampNanos | TimestampNtzNanos => LongType
  }
}
