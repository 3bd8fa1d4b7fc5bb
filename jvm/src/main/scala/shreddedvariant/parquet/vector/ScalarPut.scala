/** Writes the results of Spark's casts into vectors. */
package shreddedvariant.parquet.vector

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.SparkBridge

/** Appends values of any type to a vector with Spark's own converter, as rows of one column. */
private[parquet] final class RowAppender(target: DataType) {
  private val row = new GenericInternalRow(1)
  private val vectors = new Array[WritableColumnVector](1)
  private val converter =
    SparkBridge.rowConverter(new StructType().add("value", VectorType(target), nullable = true))

  def append(value: Any, to: WritableColumnVector): Unit = {
    row.update(0, value)
    vectors(0) = to
    converter.accept(row: InternalRow, vectors)
  }
}

/** Writes one scalar into a vector. */
private[parquet] object ScalarPut {
  def apply(to: WritableColumnVector, row: Int, value: Any, target: DataType): Unit = (value, target) match {
    case (v: Boolean, _) => to.putBoolean(row, v)
    case (v: Byte, _) => to.putByte(row, v)
    case (v: Short, _) => to.putShort(row, v)
    case (v: Int, _) => to.putInt(row, v)
    case (v: Long, _) => to.putLong(row, v)
    case (v: Float, _) => to.putFloat(row, v)
    case (v: Double, _) => to.putDouble(row, v)
    case (v: UTF8String, _) => to.putByteArray(row, v.getBytes); ()
    case (v: Array[Byte], _) => to.putByteArray(row, v); ()
    case (v: Decimal, decimal: DecimalType) => to.putDecimal(row, v, decimal.precision)
    case (v, other) => throw new IllegalStateException(s"no scalar of type $other: ${v.getClass}")
  }
}
