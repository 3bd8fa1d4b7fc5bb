/** Vectors of maps with hot keys: whole maps, their sizes, their keys, and whether they have a key. */
package shreddedvariant.parquet.vector

import org.apache.spark.sql.types.{BooleanType, DataType, IntegerType}
import org.apache.spark.sql.vectorized.{ColumnarArray, ColumnarMap}
import shreddedvariant.Errors
import shreddedvariant.maps.{HotEntries, MergedKeys, MergedMap}
import shreddedvariant.shred.{Lists, Presence}

/** Where maps with hot keys are NULL. Such a map has no hot key: a file that gives it some would lose them. */
final class MapNulls(lists: Lists, val hot: HotEntries, name: String, place: BatchPosition) {
  def isNullAt(row: Int): Boolean = {
    val isNull = lists.length(row) < 0
    if (isNull && hot.count(row) > 0) place.guard(name, row) {
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

/** For those who verify a file: a map in which lookups and whole reads differ is refused. */
final class StrictMapVector(map: MergedMapVector, maps: StrictMaps) extends ReadVector(map.dataType) {
  override def isNullAt(row: Int): Boolean = map.isNullAt(row)
  override def getMap(row: Int): ColumnarMap = { maps.check(row); map.getMap(row) }
}

/** How many entries maps have, in the residual and in sidecars. */
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

/** Whether maps have a key: one that has a value in its sidecar, or stands in the residual. */
final class HasKeyVector(sidecar: Option[Presence], residual: MapLookup) extends ReadVector(BooleanType) {
  private val hot = sidecar.orNull
  override def isNullAt(row: Int): Boolean = residual.isNull(row)
  override def getBoolean(row: Int): Boolean = residual.of(row) >= 0 || hot != null && hot.isPresent(row)
}
