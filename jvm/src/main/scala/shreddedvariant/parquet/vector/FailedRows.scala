/**
 * The rows of an extraction whose cast failed: as variants, and as values that raise Spark's error when they
 * are read.
 */
package shreddedvariant.parquet.vector

import org.apache.spark.sql.types.{BinaryType, Decimal, VariantType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray, ColumnarMap}
import org.apache.spark.unsafe.types.{UTF8String, VariantVal}

/** The rows of a batch whose variants cannot be cast to the target type. */
trait FailedRows {
  def hasFailed(row: Int): Boolean

  /** The variant whose cast failed. */
  def failedValue(row: Int): VariantVal

  /** Raises Spark's error for the row. */
  def raise(row: Int): Unit
}

/**
 * Raises errors in `isNullAt`: failed rows are null in `values`, and Spark checks for null before it reads a
 * value.
 */
final class RaisingVector(values: ColumnVector, extraction: FailedRows)
    extends ColumnVector(values.dataType) {
  override def isNullAt(row: Int): Boolean = {
    if (extraction.hasFailed(row)) extraction.raise(row)
    values.isNullAt(row)
  }

  override def hasNull: Boolean = values.hasNull
  override def numNulls: Int = values.numNulls
  override def getBoolean(row: Int): Boolean = values.getBoolean(row)
  override def getByte(row: Int): Byte = values.getByte(row)
  override def getShort(row: Int): Short = values.getShort(row)
  override def getInt(row: Int): Int = values.getInt(row)
  override def getLong(row: Int): Long = values.getLong(row)
  override def getFloat(row: Int): Float = values.getFloat(row)
  override def getDouble(row: Int): Double = values.getDouble(row)
  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal =
    values.getDecimal(row, precision, scale)
  override def getUTF8String(row: Int): UTF8String = values.getUTF8String(row)
  override def getBinary(row: Int): Array[Byte] = values.getBinary(row)
  override def getArray(row: Int): ColumnarArray = values.getArray(row)
  override def getMap(row: Int): ColumnarMap = values.getMap(row)
  override def getChild(ordinal: Int): ColumnVector = values.getChild(ordinal)
  override def close(): Unit = ()
}

/** The variants of an extraction whose cast failed; null in all other rows. */
final class FailureVector(extraction: FailedRows) extends ReadVector(VariantType) {
  override def isNullAt(row: Int): Boolean = !extraction.hasFailed(row)
  override def getChild(ordinal: Int): ColumnVector = if (ordinal == 0) values else metadata

  private val values = part(_.getValue)
  private val metadata = part(_.getMetadata)

  private def part(bytes: VariantVal => Array[Byte]): ColumnVector = new ReadVector(BinaryType) {
    override def isNullAt(row: Int): Boolean = !extraction.hasFailed(row)
    override def getBinary(row: Int): Array[Byte] = bytes(extraction.failedValue(row))
  }
}
