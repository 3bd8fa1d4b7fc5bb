/** The elements of an array that are left when some are taken out: by their places, as somebody asks for them. */
package shreddedvariant.maps

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types.{DataType, Decimal}
import org.apache.spark.unsafe.types._

/** Good as long as `places` are not filled anew. */
private final class EntriesLeft(from: ArrayData, places: Array[Int], size: Int) extends ArrayData {
  override def numElements(): Int = size
  override def isNullAt(i: Int): Boolean = from.isNullAt(places(i))
  override def get(i: Int, dataType: DataType): AnyRef = from.get(places(i), dataType)
  override def getBoolean(i: Int): Boolean = from.getBoolean(places(i))
  override def getByte(i: Int): Byte = from.getByte(places(i))
  override def getShort(i: Int): Short = from.getShort(places(i))
  override def getInt(i: Int): Int = from.getInt(places(i))
  override def getLong(i: Int): Long = from.getLong(places(i))
  override def getFloat(i: Int): Float = from.getFloat(places(i))
  override def getDouble(i: Int): Double = from.getDouble(places(i))
  override def getDecimal(i: Int, precision: Int, scale: Int): Decimal =
    from.getDecimal(places(i), precision, scale)
  override def getUTF8String(i: Int): UTF8String = from.getUTF8String(places(i))
  override def getBinary(i: Int): Array[Byte] = from.getBinary(places(i))
  override def getBinaryView(i: Int): BinaryView = from.getBinaryView(places(i))
  override def getInterval(i: Int): CalendarInterval = from.getInterval(places(i))
  override def getTimestampNTZNanos(i: Int): TimestampNanosVal = from.getTimestampNTZNanos(places(i))
  override def getTimestampLTZNanos(i: Int): TimestampNanosVal = from.getTimestampLTZNanos(places(i))
  override def getVariant(i: Int): VariantVal = from.getVariant(places(i))
  override def getStruct(i: Int, fields: Int): InternalRow = from.getStruct(places(i), fields)
  override def getArray(i: Int): ArrayData = from.getArray(places(i))
  override def getMap(i: Int): MapData = from.getMap(places(i))

  override def copy(): ArrayData = new EntriesLeft(from.copy(), places.take(size), size)
  override def array: Array[Any] = readOnly
  override def setNullAt(i: Int): Unit = readOnly
  override def update(i: Int, value: Any): Unit = readOnly

  private def readOnly: Nothing = throw new IllegalStateException("what is left of a map is only read")
}
