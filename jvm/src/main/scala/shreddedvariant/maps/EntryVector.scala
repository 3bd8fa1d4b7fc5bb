/** Vectors whose entries are in other vectors; maps are merged from such vectors. */
package shreddedvariant.maps

import org.apache.spark.sql.types.{DataType, Decimal}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray, ColumnarMap}
import org.apache.spark.unsafe.types.{BinaryView, UTF8String}

abstract class EntryVector(dataType: DataType) extends ColumnVector(dataType) {

  /** The vector that has an entry, or null for a null entry; and the index of the entry in that vector. */
  protected def vector(entry: Int): ColumnVector
  protected def place(entry: Int): Int

  /** The same entries of a child column. */
  protected def part(ordinal: Int): ColumnVector

  private var parts = new Array[ColumnVector](0)

  override def close(): Unit = ()
  override def hasNull: Boolean = true
  override def numNulls: Int = throw new IllegalStateException("nulls are not counted")
  override def isNullAt(e: Int): Boolean = {
    val source = vector(e)
    source == null || source.isNullAt(place(e))
  }
  // Spark may read a value before it calls isNullAt, and a vector may have any value for a null entry.
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
 * The keys or the values of one map: `length` entries of the residual from `start` on, then the entries of the
 * hot keys that are `present`. For keys, `names` has the hot keys and `sidecars` is null. For values,
 * `sidecars` has the values of the hot keys at `row`, and `names` is null.
 *
 * Spark's loops over maps spend most of their time in the methods below. So these methods call the vector with
 * the entry directly and check only what is necessary: a present entry is not null, but a field of a present
 * struct may be null (`ofFields`). The inherited methods would be compiled for all entry vectors, with virtual
 * calls. Keys and values have the same class, because the loops also use Spark's own vectors: the JIT compiler
 * inlines calls to two classes, but not to three. For the same reason `names` has the type of a final class.
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

  /** The vector with the value of a hot key. */
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

/** For each row, the entry of another vector that `entry` gives; null if `entry` gives a negative number. */
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
