/** Vectors whose entries stand in other vectors: what maps are put together of. */
package shreddedvariant.maps

import org.apache.spark.sql.types.{DataType, Decimal}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray, ColumnarMap}
import org.apache.spark.unsafe.types.{BinaryView, UTF8String}

abstract class EntryVector(dataType: DataType) extends ColumnVector(dataType) {

  /** The vector that has an entry, and the place where it has it; no vector where the entry is null. */
  protected def vector(entry: Int): ColumnVector
  protected def place(entry: Int): Int

  /** The same entries of parts of the values. */
  protected def part(ordinal: Int): ColumnVector

  private var parts = new Array[ColumnVector](0)

  override def close(): Unit = ()
  override def hasNull: Boolean = true
  override def numNulls: Int = throw new IllegalStateException("nulls are not counted")
  override def isNullAt(e: Int): Boolean = {
    val of = vector(e)
    of == null || of.isNullAt(place(e))
  }
  // Spark may ask for a value before it asks whether it is null, and what a vector has there may be anything.
  override def getBoolean(e: Int): Boolean = if (isNullAt(e)) false else vector(e).getBoolean(place(e))
  override def getByte(e: Int): Byte = if (isNullAt(e)) 0 else vector(e).getByte(place(e))
  override def getShort(e: Int): Short = if (isNullAt(e)) 0 else vector(e).getShort(place(e))
  override def getInt(e: Int): Int = if (isNullAt(e)) 0 else vector(e).getInt(place(e))
  override def getLong(e: Int): Long = if (isNullAt(e)) 0L else vector(e).getLong(place(e))
  override def getFloat(e: Int): Float = if (isNullAt(e)) 0f else vector(e).getFloat(place(e))
  override def getDouble(e: Int): Double = if (isNullAt(e)) 0d else vector(e).getDouble(place(e))
  override def getDecimal(e: Int, precision: Int, scale: Int): Decimal =
    if (isNullAt(e)) null else vector(e).getDecimal(place(e), precision, scale)
  override def getUTF8String(e: Int): UTF8String =
    if (isNullAt(e)) null else vector(e).getUTF8String(place(e))
  override def getBinary(e: Int): Array[Byte] = if (isNullAt(e)) null else vector(e).getBinary(place(e))
  override def getBinaryView(e: Int): BinaryView =
    if (isNullAt(e)) null else vector(e).getBinaryView(place(e))
  override def getArray(e: Int): ColumnarArray = if (isNullAt(e)) null else vector(e).getArray(place(e))
  override def getMap(e: Int): ColumnarMap = if (isNullAt(e)) null else vector(e).getMap(place(e))
  override def getChild(ordinal: Int): ColumnVector = {
    if (ordinal >= parts.length) parts = java.util.Arrays.copyOf(parts, ordinal + 1)
    if (parts(ordinal) == null) parts(ordinal) = part(ordinal)
    parts(ordinal)
  }
}

/**
 * The entries of one map: `length` of the residual's, from `start` on, and then those of the hot keys that are `present`.
 * Of these the keys are `names`, and the values stand in `sidecars`, in the place of the row: one of the two is null.
 *
 * Spark's loops over maps spend their time in the few methods below, so these go straight to the vector that has the entry
 * and ask no more than is asked of them: an entry that is present is not null. (A field of one that is a struct may be: then
 * this is `ofFields`.) What all entry vectors share would be compiled for all of them, as calls. Keys and values are of one
 * class, because the loops meet Parquet's own vectors too: of two classes the compiler makes one loop, of three it makes
 * calls. For the same reason `names` are asked by their class.
 */
final class SplicedVector(
    residual: ColumnVector,
    start: Int,
    length: Int,
    present: Array[Int],
    names: KeyVector,
    sidecars: Array[ColumnVector],
    row: Int,
    ofFields: Boolean = false
) extends EntryVector(residual.dataType) {
  override protected def vector(e: Int): ColumnVector =
    if (e < length) residual else if (names != null) names else sidecars(present(e - length))
  override protected def place(e: Int): Int =
    if (e < length) start + e else if (names != null) present(e - length) else row
  override protected def part(ordinal: Int): ColumnVector = {
    val children = if (sidecars == null) null else sidecars.map(_.getChild(ordinal))
    new SplicedVector(
      residual.getChild(ordinal),
      start,
      length,
      present,
      names,
      children,
      row,
      ofFields = true
    )
  }

  /** The vector that has the value of a hot key. */
  private def hot(e: Int): ColumnVector = sidecars(present(e - length))

  override def isNullAt(e: Int): Boolean =
    if (e < length) residual.isNullAt(start + e) else ofFields && hot(e).isNullAt(row)
  override def getBoolean(e: Int): Boolean =
    if (e < length) residual.getBoolean(start + e) else !isNullAt(e) && hot(e).getBoolean(row)
  override def getByte(e: Int): Byte =
    if (e < length) residual.getByte(start + e) else if (isNullAt(e)) 0 else hot(e).getByte(row)
  override def getShort(e: Int): Short =
    if (e < length) residual.getShort(start + e) else if (isNullAt(e)) 0 else hot(e).getShort(row)
  override def getInt(e: Int): Int =
    if (e < length) residual.getInt(start + e) else if (isNullAt(e)) 0 else hot(e).getInt(row)
  override def getLong(e: Int): Long =
    if (e < length) residual.getLong(start + e) else if (isNullAt(e)) 0L else hot(e).getLong(row)
  override def getFloat(e: Int): Float =
    if (e < length) residual.getFloat(start + e) else if (isNullAt(e)) 0f else hot(e).getFloat(row)
  override def getDouble(e: Int): Double =
    if (e < length) residual.getDouble(start + e) else if (isNullAt(e)) 0d else hot(e).getDouble(row)
  override def getUTF8String(e: Int): UTF8String =
    if (e < length) residual.getUTF8String(start + e)
    else if (names != null) names.getUTF8String(present(e - length))
    else if (isNullAt(e)) null
    else hot(e).getUTF8String(row)
}

/** One entry of another vector in each row, the one that `entry` gives; null where that is negative. */
final class PickedVector(dataType: DataType, values: ColumnVector, entry: PickedEntry)
    extends EntryVector(dataType) {
  override protected def vector(row: Int): ColumnVector = if (entry.of(row) < 0) null else values
  override protected def place(row: Int): Int = entry.of(row)
  override protected def part(ordinal: Int): ColumnVector = {
    val child = values.getChild(ordinal)
    new PickedVector(child.dataType, child, entry)
  }
}

trait PickedEntry {
  def of(row: Int): Int
}
