/** Creates vectors for columns that a file does not have. */
package shreddedvariant.parquet.vector

import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns
import org.apache.spark.sql.execution.vectorized.{ColumnVectorUtils, ConstantColumnVector}
import org.apache.spark.sql.types.{DataType, StructField, StructType}
import org.apache.spark.sql.vectorized.ColumnVector

/** A vector with the same value in every row: null, or the default of a column that was added later. */
object ConstantVector {
  def apply(dataType: DataType, value: Option[Any], rows: Int): ColumnVector = {
    val vector = new ConstantColumnVector(rows, dataType)
    value match {
      case Some(value) => ColumnVectorUtils.populate(vector, new GenericInternalRow(Array[Any](value)), 0)
      case None => vector.setNull()
    }
    vector
  }
}

/** `ALTER TABLE … ADD COLUMN … DEFAULT`: the value of the column in rows that were written before. */
object ExistingDefault {
  def apply(field: StructField): Option[Any] =
    Option(ResolveDefaultColumns.existenceDefaultValues(StructType(Seq(field))).head)
}
