/**
 * A leaf of the row group that is being written: Parquet's writer of the column, behind nulls that are held back.
 *
 * Most leaves of a shredded variant are null in most rows: each cell has one of `value` and `typed_value`, and rare
 * fields neither. Parquet's writer has its levels, sizes and statistics in many places, which no cache holds for
 * hundreds of leaves; here a null is a number that grows, until a value comes or the row group's pages are looked at.
 */
package shreddedvariant.shred

import org.apache.parquet.column.ColumnWriter
import org.apache.parquet.io.api.Binary

final class LeafWriter {
  private var column: ColumnWriter = _

  // Nulls of rows that the column has not got yet, all of one definition level.
  private var held = 0
  private var heldLevel = 0

  /** Takes the column of the next row group. */
  def prepare(column: ColumnWriter): Unit = {
    this.column = column
    held = 0
  }

  def writeNull(r: Int, d: Int): Unit =
    if (r == 0 && (d == heldLevel || held == 0)) {
      heldLevel = d
      held += 1
    } else {
      release()
      if (r == 0) {
        heldLevel = d
        held = 1
      } else column.writeNull(r, d)
    }

  def write(value: Binary, r: Int, d: Int): Unit = {
    release()
    column.write(value, r, d)
  }

  def write(value: Int, r: Int, d: Int): Unit = {
    release()
    column.write(value, r, d)
  }

  def write(value: Long, r: Int, d: Int): Unit = {
    release()
    column.write(value, r, d)
  }

  def write(value: Boolean, r: Int, d: Int): Unit = {
    release()
    column.write(value, r, d)
  }

  def write(value: Float, r: Int, d: Int): Unit = {
    release()
    column.write(value, r, d)
  }

  def write(value: Double, r: Int, d: Int): Unit = {
    release()
    column.write(value, r, d)
  }

  /** Hands on what is held back: due before Parquet looks at how much its columns have. */
  def release(): Unit = if (held > 0) {
    val level = heldLevel
    var i = held
    held = 0
    while (i > 0) {
      column.writeNull(0, level)
      i -= 1
    }
  }
}
