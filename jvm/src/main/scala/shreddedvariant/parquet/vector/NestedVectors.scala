/** Vectors of structs, lists, maps without hot keys and their texts, row numbers and presence. */
package shreddedvariant.parquet.vector

import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.{BooleanType, DataType, LongType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray, ColumnarMap}
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.shred.{DictionaryTexts, Lists, Presence}

final class StructVector(dataType: DataType, presence: Presence, children: Array[ColumnVector])
    extends ReadVector(dataType) {
  override def isNullAt(row: Int): Boolean = !presence.isPresent(row)
  override def getChild(ordinal: Int): ColumnVector = children(ordinal)
}

final class ListVector(dataType: DataType, lists: Lists, element: ColumnVector) extends ReadVector(dataType) {
  override def isNullAt(row: Int): Boolean = lists.length(row) < 0
  override def getArray(row: Int): ColumnarArray =
    if (isNullAt(row)) null else new ColumnarArray(element, lists.start(row), lists.length(row))
  override def getChild(ordinal: Int): ColumnVector = element
}

final class MapVector(dataType: DataType, lists: Lists, keys: ColumnVector, values: ColumnVector)
    extends ReadVector(dataType) {
  override def isNullAt(row: Int): Boolean = lists.length(row) < 0
  override def getMap(row: Int): ColumnarMap =
    if (isNullAt(row)) null else new ColumnarMap(keys, values, lists.start(row), lists.length(row))
  override def getChild(ordinal: Int): ColumnVector = if (ordinal == 0) keys else values
}

/** The texts of a leaf. Each text of the dictionary is created once. The text of a null row is undefined. */
final class TextVector(leaf: WritableColumnVector, texts: DictionaryTexts) extends ReadVector(leaf.dataType) {
  override def isNullAt(row: Int): Boolean = leaf.isNullAt(row)
  override def getUTF8String(row: Int): UTF8String =
    if (leaf.hasDictionary) texts.text(leaf.getDictionaryIds.getDictId(row)) else leaf.getUTF8String(row)
}

/** The number of each row in its file. */
final class RowNumberVector(position: BatchPosition) extends ReadVector(LongType) {
  override def isNullAt(row: Int): Boolean = false
  override def getLong(row: Int): Long = position.row(row)
}

/** True where something is present, null elsewhere. */
final class PresenceVector(presence: Presence) extends ReadVector(BooleanType) {
  override def isNullAt(row: Int): Boolean = !presence.isPresent(row)
  override def getBoolean(row: Int): Boolean = true
}
