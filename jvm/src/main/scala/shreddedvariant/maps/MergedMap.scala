/** The residual and the sidecars of a map → the map as users have it: the entries of the residual, then the hot keys. */
package shreddedvariant.maps

import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarMap}
import org.apache.spark.unsafe.types.UTF8String

/** `keys` and `values` are the residual's; `sidecars` have the values of the hot keys, row by row. */
final class MergedMap(
    keys: ColumnVector,
    values: ColumnVector,
    hotKeys: Array[UTF8String],
    sidecars: Array[ColumnVector]
) {
  private val names = new KeyVector(keys.dataType, hotKeys)

  def hasHotKeys(row: Int): Boolean = hotIn(row) != null

  /** The map of a row, which has `length` entries of the residual, from `start` on. */
  def at(row: Int, start: Int, length: Int): ColumnarMap = {
    val present = hotIn(row)
    if (present == null) new ColumnarMap(keys, values, start, length)
    else {
      val mergedKeys = new MergedKeys(keys, start, length, names, present)
      val mergedValues = new MergedValues(values, start, length, sidecars, present, row)
      new ColumnarMap(mergedKeys, mergedValues, 0, length + present.length)
    }
  }

  /** The numbers of the hot keys that a row has; null where it has none. */
  private def hotIn(row: Int): Array[Int] = {
    var count = 0
    var k = 0
    while (k < sidecars.length) {
      if (!sidecars(k).isNullAt(row)) count += 1
      k += 1
    }
    if (count == 0) null
    else {
      val present = new Array[Int](count)
      while (count > 0) {
        k -= 1
        if (!sidecars(k).isNullAt(row)) {
          count -= 1
          present(count) = k
        }
      }
      present
    }
  }
}

/** The keys of one map: `length` of the residual's from `start` on, then those of the hot keys that are `present`. */
private final class MergedKeys(
    residual: ColumnVector,
    start: Int,
    length: Int,
    names: ColumnVector,
    present: Array[Int]
) extends EntryVector(residual.dataType) {
  override protected def vector(e: Int): ColumnVector = if (e < length) residual else names
  override protected def place(e: Int): Int = if (e < length) start + e else present(e - length)
  override protected def part(ordinal: Int): ColumnVector = residual.getChild(ordinal)
}

/** The values of one map, in the order of its keys. */
private final class MergedValues(
    residual: ColumnVector,
    start: Int,
    length: Int,
    sidecars: Array[ColumnVector],
    present: Array[Int],
    row: Int
) extends EntryVector(residual.dataType) {
  override protected def vector(e: Int): ColumnVector =
    if (e < length) residual else sidecars(present(e - length))
  override protected def place(e: Int): Int = if (e < length) start + e else row
  override protected def part(ordinal: Int): ColumnVector = {
    val children = sidecars.map(_.getChild(ordinal))
    new MergedValues(residual.getChild(ordinal), start, length, children, present, row)
  }
}

/** The names of the hot keys, as text or as the bytes of it. */
private final class KeyVector(dataType: DataType, keys: Array[UTF8String]) extends EntryVector(dataType) {
  override protected def vector(k: Int): ColumnVector = this
  override protected def place(k: Int): Int = k
  override protected def part(ordinal: Int): ColumnVector =
    throw new IllegalStateException("a key has no parts")
  override def isNullAt(k: Int): Boolean = false
  override def getUTF8String(k: Int): UTF8String = keys(k)
  override def getBinary(k: Int): Array[Byte] = keys(k).getBytes
}
