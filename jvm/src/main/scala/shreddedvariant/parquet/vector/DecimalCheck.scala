/** Refuses decoded decimals that have more digits than the precision of their column. */
package shreddedvariant.parquet.vector

import java.math.BigInteger

import org.apache.parquet.io.ParquetDecodingException
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.{INT32, INT64}
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.{DataType, Decimal, DecimalType}
import shreddedvariant.parquet.page.DictionaryValues

/**
 * `isOfVariant` says whether numbers in INT32 and INT64 are checked too. Spark reads such numbers of a plain
 * column whatever their digits, so a plain column keeps them.
 *
 * Law: a vector of a decimal has `Int` up to 9 digits, `Long` up to 18, and else big-endian two's complement
 * bytes. Bytes whose first byte is closer to zero than the first byte of the greatest number fit; only other
 * bytes are compared as numbers.
 */
private[vector] final class DecimalCheck(decimal: DecimalType, isOfVariant: Boolean) {
  private val precision = decimal.precision
  private val beyond = BigInteger.TEN.pow(precision)
  private val greatest = beyond.subtract(BigInteger.ONE).toByteArray

  def check(vector: WritableColumnVector, count: Int): Unit =
    if (precision > Decimal.MAX_LONG_DIGITS) checkBytes(vector, count)
    else if (isOfVariant) checkNumbers(vector, count)

  /** Whether a dictionary has values to refuse, in rows that use them. */
  def refusesOf(dictionary: DictionaryValues, column: PrimitiveType): Boolean = {
    val isNumber = column.getPrimitiveTypeName == INT32 || column.getPrimitiveTypeName == INT64
    (!isNumber || isOfVariant) && (0 until dictionary.size).exists { id =>
      val value = dictionary.value(id)
      value.length == 0 || isWide(if (isNumber) value.reverse else value)
    }
  }

  private def checkNumbers(vector: WritableColumnVector, count: Int): Unit = {
    val limit = beyond.longValue
    var row = 0
    while (row < count) {
      if (!vector.isNullAt(row)) {
        val number =
          if (precision <= Decimal.MAX_INT_DIGITS) vector.getInt(row).toLong else vector.getLong(row)
        if (number >= limit || number <= -limit) refuse()
      }
      row += 1
    }
  }

  private def checkBytes(vector: WritableColumnVector, count: Int): Unit = {
    val isInDictionary = vector.hasDictionary
    var row = 0
    while (row < count) {
      if (!vector.isNullAt(row))
        if (isInDictionary) checkWhole(vector.getBinary(row))
        else {
          val length = vector.getArrayLength(row)
          val first = if (length == 0) 0 else vector.arrayData.getByte(vector.getArrayOffset(row)).toInt
          val isNear = first < greatest(0) && first > -greatest(0)
          if (length == 0 || length > greatest.length || length == greatest.length && !isNear)
            checkWhole(vector.getBinary(row))
        }
      row += 1
    }
  }

  private def checkWhole(bytes: Array[Byte]): Unit = {
    if (bytes.length == 0) throw new ParquetDecodingException("a decimal has no digits")
    if (isWide(bytes)) refuse()
  }

  private def isWide(bytes: Array[Byte]) = new BigInteger(bytes).abs.compareTo(beyond) >= 0

  private def refuse() = throw new ParquetDecodingException(s"a decimal has more than $precision digits")
}

private[vector] object DecimalCheck {
  def of(dataType: DataType, isOfVariant: Boolean): Option[DecimalCheck] = dataType match {
    case decimal: DecimalType if isOfVariant || decimal.precision > Decimal.MAX_LONG_DIGITS =>
      Some(new DecimalCheck(decimal, isOfVariant))
    case _ => None
  }
}
