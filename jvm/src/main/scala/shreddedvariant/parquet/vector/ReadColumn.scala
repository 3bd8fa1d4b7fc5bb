/** One column that is handed to Spark; its vector may be another one in every batch. */
package shreddedvariant.parquet.vector

import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.BooleanType
import org.apache.spark.sql.vectorized.ColumnVector
import shreddedvariant.shred.{CellVector, ScalarVector}

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

/** Whether a path leads to something, as a column: gathered for a batch at once, or nothing where no row has it. */
final class PathPresence(cell: CellVector, vectors: VectorAllocator, rows: Int) extends ReadColumn
    with Assembled {
  private val never = ConstantVector(BooleanType, None, rows)
  private lazy val own: WritableColumnVector = vectors.allocate(BooleanType)
  private var current: ColumnVector = never

  override def vector: ColumnVector = current

  override def assemble(rows: Int): Unit =
    current = if (isEmpty(rows)) never else { gather(rows); own }

  private def isEmpty(rows: Int) = isNull(cell.value, rows) && cell.typed.forall {
    case scalar: ScalarVector => isNull(scalar.vector, rows)
    case _ => false
  }

  private def isNull(vector: WritableColumnVector, rows: Int) = vector == null || vector.numNulls >= rows

  private def gather(rows: Int): Unit = {
    own.reset()
    own.reserve(rows)
    own.putBooleans(0, rows, true)
    own.putNulls(0, rows)
    val scalars = cell.typed.collect { case scalar: ScalarVector => scalar.vector }
    if (scalars.length == cell.typed.length)
      (cell.value +: scalars).filterNot(isNull(_, rows)).foreach(gather(_, rows))
    else {
      var row = 0
      while (row < rows) {
        if (!cell.isMissing(row)) own.putNotNull(row)
        row += 1
      }
    }
  }

  /** Of a scalar cell, a leaf at a time: a loop over nothing but its nulls. */
  private def gather(leaf: WritableColumnVector, rows: Int): Unit = {
    var row = 0
    while (row < rows) {
      if (!leaf.isNullAt(row)) own.putNotNull(row)
      row += 1
    }
  }
}
