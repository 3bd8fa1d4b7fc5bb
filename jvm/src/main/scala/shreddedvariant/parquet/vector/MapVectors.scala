/** Vectors of maps with hot keys: whole maps, their sizes, their keys, and tests for a key. */
package shreddedvariant.parquet.vector

import org.apache.spark.sql.types.{BooleanType, DataType, IntegerType}
import org.apache.spark.sql.vectorized.{ColumnarArray, ColumnarMap}
import shreddedvariant.Errors
import shreddedvariant.maps.{HotEntries, MergedKeys, MergedMap}
import shreddedvariant.shred.{Lists, Presence}

/** Finds NULL maps. A NULL map with a value for a hot key is refused, because the value would be lost. */
final class MapNulls(lists: Lists, val hot: HotEntries, name: String, position: BatchPosition) {
  def isNullAt(row: Int): Boolean = {
    val isNull = lists.length(row) < 0
    if (isNull && hot.count(row) > 0) position.guard(name, row) {
      throw Errors.malformedMap(name, "it is NULL where a hot key has a value")
    }
    isNull
  }
}

final class MergedMapVector(dataType: DataType, lists: Lists, nulls: MapNulls, merged: MergedMap)
    extends ReadVector(dataType) {
  override def isNullAt(row: Int): Boolean = nulls.isNullAt(row)
  override def getMap(row: Int): ColumnarMap =
    if (isNullAt(row)) null else merged.at(row, lists.start(row), lists.length(row))
}

/** For verification: refuses a map for which lookups and whole reads give different values. */
final class StrictMapVector(map: MergedMapVector, maps: StrictMaps) extends ReadVector(map.dataType) {
  override def isNullAt(row: Int): Boolean = map.isNullAt(row)
  override def getMap(row: Int): ColumnarMap = { maps.check(row); map.getMap(row) }
}

/** The number of entries of maps, in the residual and in sidecars. */
final class MapSizeVector(lists: Lists, nulls: MapNulls) extends ReadVector(IntegerType) {
  override def isNullAt(row: Int): Boolean = nulls.isNullAt(row)
  override def getInt(row: Int): Int = if (isNullAt(row)) 0 else lists.length(row) + nulls.hot.count(row)
}

/** The keys of maps, without their values. */
final class MapKeysVector(dataType: DataType, lists: Lists, nulls: MapNulls, keys: MergedKeys)
    extends ReadVector(dataType) {
  override def isNullAt(row: Int): Boolean = nulls.isNullAt(row)
  override def getArray(row: Int): ColumnarArray =
    if (isNullAt(row)) null else keys.at(lists.start(row), lists.length(row), nulls.hot.in(row))
}

/** Whether maps have a key, with a value in its sidecar or with an entry in the residual. */
final class HasKeyVector(sidecar: Option[Presence], residual: MapLookup) extends ReadVector(BooleanType) {
  private val hot = sidecar.orNull
  override def isNullAt(row: Int): Boolean = residual.isNull(row)
  override def getBoolean(row: Int): Boolean = residual.of(row) >= 0 || hot != null && hot.isPresent(row)
}
