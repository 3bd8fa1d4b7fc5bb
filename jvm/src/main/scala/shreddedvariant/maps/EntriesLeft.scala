/** A view of those elements of an array that stay in the residual of a map. */
package shreddedvariant.maps

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types.{DataType, Decimal}
import org.apache.spark.unsafe.types._

/** `places` has the indexes of the elements; the view is valid until `places` changes. */
private final class EntriesLeft(source: ArrayData, places: Array[Int], size: Int) extends ArrayData {
  override def numElements(): Int = size
  override def isNullAt(i: Int): Boolean = source.isNullAt(places(i))
  override def get(i: Int, dataType: DataType): AnyRef = source.get(places(i), dataType)
  override def getBoolean(i: Int): Boolean = source.getBoolean(places(i))
  override def getByte(i: Int): Byte = source.getByte(places(i))
  override def getShort(i: Int): Short = source.getShort(places(i))
  override def getInt(i: Int): Int = source.getInt(places(i))
  override def getLong(i: Int): Long = source.getLong(places(i))
  override def getFloat(i: Int): Float = source.getFloat(places(i))
  override def getDouble(i: Int): Double = source.getDouble(places(i))
  override def getDecimal(i: Int, precision: Int, scale: Int): Decimal =
    source.getDecimal(places(i), precision, scale)
  override def getUTF8String(i: Int): UTF8String = source.getUTF8String(places(i))
  override def getBinary(i: Int): Array[Byte] = source.getBinary(places(i))
  override def getBinaryView(i: Int): BinaryView = source.getBinaryView(places(i))
  override def getInterval(i: Int): CalendarInterval = source.getInterval(places(i))
  override def getTimestampNTZNanos(i: Int): TimestampNanosVal = source.getTimestampNTZNanos(places(i))
  override def getTimestampLTZNanos(i: Int): TimestampNanosVal = source.getTimestampLTZNanos(places(i))
  override def getVariant(i: Int): VariantVal = source.getVariant(places(i))
  override def getStruct(i: Int, fields: Int): InternalRow = source.getStruct(places(i), fields)
  override def getArray(i: Int): ArrayData = source.getArray(places(i))
  override def getMap(i: Int): MapData = source.getMap(places(i))

  override def copy(): ArrayData = new EntriesLeft(source.copy(), places.take(size), size)
  override def array: Array[Any] = readOnly
  override def setNullAt(i: Int): Unit = readOnly
  override def update(i: Int, value: Any): Unit = readOnly

  private def readOnly: Nothing = throw new IllegalStateException("the residual of a map is read-only")
}
