/** Merges the residual and the sidecars of a map: the entries of the residual come first, then the hot keys. */
package shreddedvariant.maps

import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray, ColumnarMap}
import org.apache.spark.unsafe.types.UTF8String

/** The hot keys of each row: those whose sidecar is not null. */
final class HotEntries(sidecars: Array[ColumnVector]) {
  private val allKeys = sidecars.indices.toArray

  def count(row: Int): Int = {
    var count = 0
    var k = 0
    while (k < sidecars.length) {
      if (!sidecars(k).isNullAt(row)) count += 1
      k += 1
    }
    count
  }

  /** The numbers of the hot keys of a row; callers must not change the array. */
  def in(row: Int): Array[Int] = {
    var remaining = count(row)
    if (remaining == 0) HotEntries.none
    else if (remaining == allKeys.length) allKeys
    else {
      val present = new Array[Int](remaining)
      var k = sidecars.length
      while (remaining > 0) {
        k -= 1
        if (!sidecars(k).isNullAt(row)) {
          remaining -= 1
          present(remaining) = k
        }
      }
      present
    }
  }
}

private object HotEntries {
  val none = new Array[Int](0)
}

/** The keys of maps: the keys of the residual come first, then the hot keys. */
final class MergedKeys(residual: ColumnVector, hotKeys: Array[UTF8String]) {
  private val names = new KeyVector(residual.dataType, hotKeys)

  /** The keys of one map: `length` keys of the residual from `start` on, then the `present` hot keys. */
  def at(start: Int, length: Int, present: Array[Int]): ColumnarArray =
    if (present.length == 0) new ColumnarArray(residual, start, length)
    else new ColumnarArray(vector(start, length, present), 0, length + present.length)

  def vector(start: Int, length: Int, present: Array[Int]): ColumnVector =
    new SplicedVector(residual, start, length, present, names, sidecars = null, row = 0)
}

/** `keys` and `values` are those of the residual; `sidecars` have the values of the hot keys, row by row. */
final class MergedMap(
    keys: ColumnVector,
    values: ColumnVector,
    hotKeys: Array[UTF8String],
    sidecars: Array[ColumnVector]
) {
  private val mergedKeys = new MergedKeys(keys, hotKeys)
  private val hot = new HotEntries(sidecars)

  /** The map of a row: `length` entries of the residual from `start` on, then the hot keys of the row. */
  def at(row: Int, start: Int, length: Int): ColumnarMap = {
    val present = hot.in(row)
    if (present.length == 0) new ColumnarMap(keys, values, start, length)
    else {
      val splicedKeys = mergedKeys.vector(start, length, present)
      val splicedValues = new SplicedVector(values, start, length, present, names = null, sidecars, row)
      new ColumnarMap(splicedKeys, splicedValues, 0, length + present.length)
    }
  }
}

/** The names of the hot keys, as strings or as the bytes of the strings. */
final class KeyVector(dataType: DataType, keys: Array[UTF8String]) extends EntryVector(dataType) {
  override protected def vector(k: Int): ColumnVector = this
  override protected def place(k: Int): Int = k
  override protected def part(ordinal: Int): ColumnVector =
    throw new IllegalStateException("a key has no parts")
  override def isNullAt(k: Int): Boolean = false
  override def getUTF8String(k: Int): UTF8String = keys(k)
  override def getBinary(k: Int): Array[Byte] = keys(k).getBytes
}
