/** Column vectors that Spark reads nested columns, variants and row numbers from; leaves are Spark's own vectors. */
package shreddedvariant.parquet

import scala.util.control.NonFatal

import org.apache.spark.sql.types.{BinaryType, DataType, Decimal, LongType, VariantType}
import org.apache.spark.sql.vectorized.{ColumnarArray, ColumnarMap, ColumnVector}
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.{Errors, ShreddedVariantException}
import shreddedvariant.shred.{Lists, Presence, Rebuilder}

/** A vector that has none of the accessors; each kind below adds its own. */
sealed abstract class ReadVector(dataType: DataType) extends ColumnVector(dataType) {
  private def wrongType = throw new IllegalStateException(s"not a value of $dataType")

  override def close(): Unit = ()
  override def hasNull: Boolean = true
  override def numNulls: Int = throw new IllegalStateException("nulls are not counted")
  override def getBoolean(row: Int): Boolean = wrongType
  override def getByte(row: Int): Byte = wrongType
  override def getShort(row: Int): Short = wrongType
  override def getInt(row: Int): Int = wrongType
  override def getLong(row: Int): Long = wrongType
  override def getFloat(row: Int): Float = wrongType
  override def getDouble(row: Int): Double = wrongType
  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal = wrongType
  override def getUTF8String(row: Int): UTF8String = wrongType
  override def getBinary(row: Int): Array[Byte] = wrongType
  override def getArray(row: Int): ColumnarArray = wrongType
  override def getMap(row: Int): ColumnarMap = wrongType
  override def getChild(ordinal: Int): ColumnVector = wrongType
}

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

/** A variant is SQL NULL where its metadata is: the file has metadata in every group that is there. */
final class VariantVector(metadata: ColumnVector, value: ColumnVector) extends ReadVector(VariantType) {
  override def isNullAt(row: Int): Boolean = metadata.isNullAt(row)
  override def getChild(ordinal: Int): ColumnVector = if (ordinal == 0) value else metadata
}

/** One of the two binaries of a variant. Dictionaries are decoded when a row is asked for, so damage shows only here. */
sealed abstract class BinaryVector(column: String, place: FilePlace) extends ReadVector(BinaryType) {
  protected def bytes(row: Int): Array[Byte]

  override def getBinary(row: Int): Array[Byte] =
    try bytes(row)
    catch {
      case e: ShreddedVariantException => throw Errors.inFile(place.file, Some(place.firstRow + row), e)
      case NonFatal(e) => throw Errors.damagedPages(place.file, column, e)
    }
}

final class MetadataVector(column: String, metadata: ColumnVector, place: FilePlace) extends BinaryVector(column, place) {
  override def isNullAt(row: Int): Boolean = metadata.isNullAt(row)
  override protected def bytes(row: Int): Array[Byte] = metadata.getBinary(row)
}

/** The value of a variant that is not shredded: bytes passed through, a missing one read as variant null. */
final class StoredValueVector(column: String, metadata: ColumnVector, value: ColumnVector, place: FilePlace)
    extends BinaryVector(column, place) {
  override def isNullAt(row: Int): Boolean = metadata.isNullAt(row)
  override protected def bytes(row: Int): Array[Byte] =
    if (value.isNullAt(row)) Array(0.toByte) else value.getBinary(row)
}

/** The value of a shredded variant, rebuilt when somebody asks for the row: rows that a filter drops cost nothing. */
final class RebuiltValueVector(column: String, metadata: ColumnVector, rebuilder: Rebuilder, place: FilePlace)
    extends BinaryVector(column, place) {
  override def isNullAt(row: Int): Boolean = metadata.isNullAt(row)
  override protected def bytes(row: Int): Array[Byte] = rebuilder.rebuild(row, metadata.getBinary(row))
}

/** The number of each row within its file. */
final class RowNumberVector(place: FilePlace) extends ReadVector(LongType) {
  override def isNullAt(row: Int): Boolean = false
  override def getLong(row: Int): Long = place.firstRow + row
}

/** Where the current batch stands: the file, and the number of its first row there. */
final class FilePlace(val file: String) {
  var firstRow = 0L
}
