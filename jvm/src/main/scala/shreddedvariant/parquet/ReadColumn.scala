/** One column that is handed to Spark; its vector may be another one in every batch. */
package shreddedvariant.parquet

import org.apache.spark.sql.types.BooleanType
import org.apache.spark.sql.vectorized.ColumnVector

trait ReadColumn {
  def vector: ColumnVector
}

final class FixedColumn(val vector: ColumnVector) extends ReadColumn

/** The presence of a variant or map as a column: constant in row groups where the footer knows it. */
final class PresenceColumn(presence: KnownPresence, rows: Int) extends ReadColumn {
  private val always = ConstantVector(BooleanType, Some(true), rows)
  private val sometimes = new PresenceVector(presence)

  override def vector: ColumnVector = if (presence.isAlways) always else sometimes
}
