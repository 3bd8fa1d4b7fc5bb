/** One column that is handed to Spark; its vector may be another one in every batch. */
package shreddedvariant.parquet

import org.apache.spark.sql.types.BooleanType
import org.apache.spark.sql.vectorized.ColumnVector
import shreddedvariant.shred.Presence

trait ReadColumn {
  def vector: ColumnVector
}

final class FixedColumn(val vector: ColumnVector) extends ReadColumn

/** Whether a variant is there: known from the footer where its metadata has no nulls, else from levels. */
final class PresenceColumn(metadata: Seq[String], levels: Presence, rows: Int) extends ReadColumn
    with Assembled {
  private val always = ConstantVector(BooleanType, Some(true), rows)
  private val sometimes = new PresenceVector(levels)
  private var current: ColumnVector = always

  override def open(group: RowGroup): Unit = current = if (group.hasNoNulls(metadata)) always else sometimes
  override def assemble(rows: Int): Unit = ()
  override def vector: ColumnVector = current
}
