/** A leaf that Parquet's own column writer encodes; nulls are held back as a number until a value comes. */
package shreddedvariant.parquet.write

import org.apache.parquet.column.{ColumnDescriptor, ColumnWriter}
import org.apache.parquet.io.api.Binary
import shreddedvariant.shred.LeafWriter

private[parquet] final class ParquetLeaf(val column: ColumnDescriptor) extends LeafWriter {
  private var to: ColumnWriter = _

  // Nulls of rows that the column has not got yet, all of one definition level.
  private var held = 0
  private var heldLevel = 0

  /** Takes the column of the next row group. */
  def start(to: ColumnWriter): Unit = this.to = to

  override def writeNull(r: Int, d: Int): Unit =
    if (r == 0 && (d == heldLevel || held == 0)) {
      heldLevel = d
      held += 1
    } else {
      release()
      if (r == 0) {
        heldLevel = d
        held = 1
      } else to.writeNull(r, d)
    }

  override def write(bytes: Array[Byte], from: Int, length: Int, r: Int, d: Int): Unit = {
    release()
    to.write(Binary.fromReusedByteArray(bytes, from, length), r, d)
  }

  override def write(value: Int, r: Int, d: Int): Unit = {
    release()
    to.write(value, r, d)
  }

  override def write(value: Long, r: Int, d: Int): Unit = {
    release()
    to.write(value, r, d)
  }

  override def write(value: Boolean, r: Int, d: Int): Unit = {
    release()
    to.write(value, r, d)
  }

  override def write(value: Float, r: Int, d: Int): Unit = {
    release()
    to.write(value, r, d)
  }

  override def write(value: Double, r: Int, d: Int): Unit = {
    release()
    to.write(value, r, d)
  }

  /** Hands on what is held back: due before Parquet looks at how much its columns have. */
  def release(): Unit = if (held > 0) {
    val level = heldLevel
    var i = held
    held = 0
    while (i > 0) {
      to.writeNull(0, level)
      i -= 1
    }
  }
}
