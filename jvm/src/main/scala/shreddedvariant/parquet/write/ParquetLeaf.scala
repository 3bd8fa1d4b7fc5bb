/** A leaf that Parquet's own column writer encodes; nulls are counted and passed on before the next value. */
package shreddedvariant.parquet.write

import org.apache.parquet.column.{ColumnDescriptor, ColumnWriter}
import org.apache.parquet.io.api.Binary
import shreddedvariant.shred.LeafWriter

private[parquet] final class ParquetLeaf(val column: ColumnDescriptor) extends LeafWriter {
  private var to: ColumnWriter = _

  // The count of nulls that the column writer has not received yet, and their common definition level.
  private var pendingNulls = 0
  private var pendingLevel = 0

  /** Starts a row group with its column writer. */
  def start(to: ColumnWriter): Unit = this.to = to

  override def writeNull(r: Int, d: Int): Unit =
    if (r == 0 && (d == pendingLevel || pendingNulls == 0)) {
      pendingLevel = d
      pendingNulls += 1
    } else {
      release()
      if (r == 0) {
        pendingLevel = d
        pendingNulls = 1
      } else to.writeNull(r, d)
    }

  override def write(bytes: Array[Byte], from: Int, length: Int, r: Int, d: Int): Unit =
    released.write(Binary.fromReusedByteArray(bytes, from, length), r, d)
  override def write(value: Int, r: Int, d: Int): Unit = released.write(value, r, d)
  override def write(value: Long, r: Int, d: Int): Unit = released.write(value, r, d)
  override def write(value: Boolean, r: Int, d: Int): Unit = released.write(value, r, d)
  override def write(value: Float, r: Int, d: Int): Unit = released.write(value, r, d)
  override def write(value: Double, r: Int, d: Int): Unit = released.write(value, r, d)

  private def released: ColumnWriter = {
    release()
    to
  }

  /** Passes the pending nulls on. Call it before Parquet checks the sizes of its columns. */
  def release(): Unit = if (pendingNulls > 0) {
    val level = pendingLevel
    var remaining = pendingNulls
    pendingNulls = 0
    while (remaining > 0) {
      to.writeNull(0, level)
      remaining -= 1
    }
  }
}
