/** The scalar types of a variant and the Parquet types that hold them (specification: Shredded Value Types). */
package shreddedvariant.layout

import org.apache.parquet.schema.LogicalTypeAnnotation
import org.apache.parquet.schema.LogicalTypeAnnotation._
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit._
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.parquet.schema.Type.Repetition
import org.apache.parquet.schema.Types
import org.apache.spark.sql.types._

sealed abstract class ScalarType(val ddl: String) extends Serializable {

  /**
   * The Spark type as which a column is decoded, without rebasing and without a time zone, because a variant
   * has the same numbers as the column. Types that Spark lacks are decoded as their physical numbers.
   */
  def decodedAs: DataType

  /** The column that the writer creates for this type. */
  def toParquet(name: String): PrimitiveType
}

object ScalarType {

  /** A type without parameters: its DDL, the Spark type as which it is decoded, and the types of its column. */
  sealed abstract class Simple(
      ddl: String,
      override val decodedAs: DataType,
      physical: PrimitiveTypeName,
      logical: LogicalTypeAnnotation = null,
      length: Int = 0
  ) extends ScalarType(ddl) {
    override def toParquet(name: String): PrimitiveType = column(name, physical, logical, length)
  }

  case object Bool extends Simple("BOOLEAN", BooleanType, BOOLEAN)
  case object Int8 extends Simple("TINYINT", IntegerType, INT32, intType(8, true))
  case object Int16 extends Simple("SMALLINT", IntegerType, INT32, intType(16, true))
  case object Int32 extends Simple("INT", IntegerType, INT32)
  case object Int64 extends Simple("BIGINT", LongType, INT64)
  case object Float32 extends Simple("FLOAT", FloatType, FLOAT)
  case object Float64 extends Simple("DOUBLE", DoubleType, DOUBLE)
  case object Date extends Simple("DATE", DateType, INT32, dateType())
  case object Time extends Simple("TIME", LongType, INT64, timeType(false, MICROS))
  case object Timestamp extends Simple("TIMESTAMP", TimestampType, INT64, timestampType(true, MICROS))
  case object TimestampNtz
      extends Simple("TIMESTAMP_NTZ", TimestampNTZType, INT64, timestampType(false, MICROS))
  case object TimestampNanos extends Simple("TIMESTAMP_NANOS", LongType, INT64, timestampType(true, NANOS))
  case object TimestampNtzNanos
      extends Simple("TIMESTAMP_NTZ_NANOS", LongType, INT64, timestampType(false, NANOS))
  case object Binary extends Simple("BINARY", BinaryType, BINARY)
  case object Str extends Simple("STRING", StringType, BINARY, stringType())
  case object Uuid extends Simple("UUID", BinaryType, FIXED_LEN_BYTE_ARRAY, uuidType(), 16)

  final case class Dec(precision: Int, scale: Int) extends ScalarType(s"DECIMAL($precision,$scale)") {
    override def decodedAs: DataType = DecimalType(precision, scale)
    override def toParquet(name: String): PrimitiveType = {
      val logical = decimalType(scale, precision)
      if (precision <= Decimal.MAX_INT_DIGITS) column(name, INT32, logical)
      else if (precision <= Decimal.MAX_LONG_DIGITS) column(name, INT64, logical)
      else column(name, FIXED_LEN_BYTE_ARRAY, logical, Decimal.minBytesForPrecision(precision))
    }
  }

  private def column(
      name: String,
      physical: PrimitiveTypeName,
      logical: LogicalTypeAnnotation,
      length: Int = 0
  ): PrimitiveType = {
    val builder = Types.primitive(physical, Repetition.OPTIONAL)
    if (length > 0) builder.length(length)
    (if (logical == null) builder else builder.as(logical)).named(name)
  }

  val MaxPrecision = 38

  private val numbers = Seq(Int8, Int16, Int32, Int64, Float32, Float64)
  private val times = Seq(Date, Time, Timestamp, TimestampNtz, TimestampNanos, TimestampNtzNanos)

  /** The types whose DDL has no parameters. */
  val simple: Seq[Simple] = (Bool +: numbers) ++ times ++ Seq(Binary, Str, Uuid)

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
          if !time.isAdjustedToUTC && time.getUnit == MICROS =>
        Some(Time)
      case (INT64, timestamp: TimestampLogicalTypeAnnotation) =>
        (timestamp.isAdjustedToUTC, timestamp.getUnit) match {
          case (true, MICROS) => Some(Timestamp)
          case (false, MICROS) => Some(TimestampNtz)
          case (true, NANOS) => Some(TimestampNanos)
          case (false, NANOS) => Some(TimestampNtzNanos)
          case _ => None
        }
      case (FIXED_LEN_BYTE_ARRAY, _: UUIDLogicalTypeAnnotation) if column.getTypeLength == 16 => Some(Uuid)
      case _ => None
    }
}
