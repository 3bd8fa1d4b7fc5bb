/** The base class of this project's vectors; leaves are Spark's own vectors. */
package shreddedvariant.parquet.vector

import org.apache.spark.sql.types.{DataType, Decimal}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray, ColumnarMap}
import org.apache.spark.unsafe.types.UTF8String

/** A vector without accessors; each subclass implements those of its type. */
abstract class ReadVector(dataType: DataType) extends ColumnVector(dataType) {
  private def wrongType: Nothing = throw new IllegalStateException(s"not a value of $dataType")

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
