/** One column that Spark receives; its vector may differ between batches. */
package shreddedvariant.parquet.vector

import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.BooleanType
import org.apache.spark.sql.vectorized.ColumnVector
import shreddedvariant.shred.{CellVector, ScalarVector}

trait ReadColumn {
  def vector: ColumnVector
}

final class FixedColumn(val vector: ColumnVector) extends ReadColumn

/** The presence of a variant or map as a column: a constant in row groups where the footer shows it. */
final class PresenceColumn(presence: KnownPresence, rows: Int) extends ReadColumn {
  private val always = ConstantVector(BooleanType, Some(true), rows)
  private val sometimes = new PresenceVector(presence)

  override def vector: ColumnVector = if (presence.isAlways) always else sometimes
}

/**
 * Whether rows have a path, as a column: computed for a whole batch, or a constant null if no row has the path.
 */
final class PathPresence(cell: CellVector, vectors: VectorAllocator, rows: Int) extends ReadColumn
    with Assembled {
  private val never = ConstantVector(BooleanType, None, rows)
  private lazy val present: WritableColumnVector = vectors.allocate(BooleanType)
  private var current: ColumnVector = never

  override def vector: ColumnVector = current

  override def assemble(rows: Int): Unit =
    current = if (isEmpty(rows)) never else { gather(rows); present }

  private def isEmpty(rows: Int) = isNull(cell.value, rows) && cell.typed.forall {
    case scalar: ScalarVector => isNull(scalar.vector, rows)
    case _ => false
  }

  private def isNull(vector: WritableColumnVector, rows: Int) = vector == null || vector.numNulls >= rows

  private def gather(rows: Int): Unit = {
    present.reset()
    present.reserve(rows)
    present.putBooleans(0, rows, true)
    present.putNulls(0, rows)
    val scalars = cell.typed.collect { case scalar: ScalarVector => scalar.vector }
    if (scalars.length == cell.typed.length)
      (cell.value +: scalars).filterNot(isNull(_, rows)).foreach(gather(_, rows))
    else {
      var row = 0
      while (row < rows) {
        if (!cell.isMissing(row)) present.putNotNull(row)
        row += 1
      }
    }
  }

  /** For a scalar cell, one leaf at a time, in a loop over its nulls. */
  private def gather(leaf: WritableColumnVector, rows: Int): Unit = {
    var row = 0
    while (row < rows) {
      if (!leaf.isNullAt(row)) present.putNotNull(row)
      row += 1
    }
  }
}
