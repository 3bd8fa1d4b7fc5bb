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
 * Entries that begin with `length` of another vector's, from `start` on. Most of a large map are such entries, and maps
 * without hot keys are read from that vector itself: so these go straight to it, and ask no more than is asked of them.
 */
abstract class SplicedVector(first: ColumnVector, start: Int, length: Int)
    extends EntryVector(first.dataType) {
  final override def isNullAt(e: Int): Boolean =
    if (e < length) first.isNullAt(start + e) else super.isNullAt(e)
  final override def getBoolean(e: Int): Boolean =
    if (e < length) first.getBoolean(start + e) else super.getBoolean(e)
  final override def getByte(e: Int): Byte = if (e < length) first.getByte(start + e) else super.getByte(e)
  final override def getShort(e: Int): Short =
    if (e < length) first.getShort(start + e) else super.getShort(e)
  final override def getInt(e: Int): Int = if (e < length) first.getInt(start + e) else super.getInt(e)
  final override def getLong(e: Int): Long = if (e < length) first.getLong(start + e) else super.getLong(e)
  final override def getFloat(e: Int): Float =
    if (e < length) first.getFloat(start + e) else super.getFloat(e)
  final override def getDouble(e: Int): Double =
    if (e < length) first.getDouble(start + e) else super.getDouble(e)
  final override def getUTF8String(e: Int): UTF8String =
    if (e < length) first.getUTF8String(start + e) else super.getUTF8String(e)
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
