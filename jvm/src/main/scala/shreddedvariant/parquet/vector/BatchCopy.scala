/** Copies the numbers of a batch, except nulls, which the caller sets, in loops without a call per row. */
package shreddedvariant.parquet.vector

import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._

abstract class BatchCopy {
  def apply(from: WritableColumnVector, to: WritableColumnVector, rows: Int): Unit
}

object BatchCopy {

  /** None for types whose values have no fixed width. */
  def of(dataType: DataType): Option[BatchCopy] = dataType match {
    case IntegerType | DateType => Some(ints)
    case LongType | TimestampType | TimestampNTZType => Some(longs)
    case DoubleType => Some(doubles)
    case _ => None
  }

  private val ints: BatchCopy = (from, to, rows) => {
    var row = 0
    while (row < rows) {
      if (!from.isNullAt(row)) to.putInt(row, from.getInt(row))
      row += 1
    }
  }

  private val longs: BatchCopy = (from, to, rows) => {
    var row = 0
    while (row < rows) {
      if (!from.isNullAt(row)) to.putLong(row, from.getLong(row))
      row += 1
    }
  }

  private val doubles: BatchCopy = (from, to, rows) => {
    var row = 0
    while (row < rows) {
      if (!from.isNullAt(row)) to.putDouble(row, from.getDouble(row))
      row += 1
    }
  }
}
