/** The file and the row numbers of the current batch. */
package shreddedvariant.parquet.vector

import scala.util.control.NonFatal

import org.apache.spark.SparkThrowable
import shreddedvariant.{Errors, ShreddedVariantException}
import shreddedvariant.binary.MalformedVariant

/** The position of the current batch: the file, and the numbers of the rows in the file. */
final class BatchPosition(val file: String) {
  private var first = 0L
  private var numbers: Array[Long] = _

  def startAt(firstRow: Long): Unit = { first = firstRow; numbers = null }

  /** Sets the row numbers of a batch whose rows are not consecutive. */
  def startAt(rows: Array[Long]): Unit = numbers = rows

  def row(row: Int): Long = if (numbers == null) first + row else numbers(row)

  /** Adds the file to errors about its columns. */
  def named[A](body: => A): A =
    try body
    catch {
      case e: ShreddedVariantException => throw Errors.inFile(file, None, e)
      case _: StackOverflowError => throw Errors.schemaTooDeep(file)
    }

  /**
   * Adds file and row to errors about a row. Dictionary values are decoded on access, so damage may appear only
   * here.
   */
  def guard[A](column: String, row: Int)(body: => A): A =
    try body
    catch {
      case e: ShreddedVariantException => throw Errors.inFile(file, Some(this.row(row)), e)
      case e: MalformedVariant =>
        throw Errors.inFile(file, Some(this.row(row)), Errors.malformedValue(column, e.reason))
      case e: SparkThrowable if BatchPosition.byteErrors.contains(e.getCondition) =>
        val malformed = Errors.malformedValue(column, BatchPosition.byteErrors(e.getCondition))
        throw Errors.inFile(file, Some(this.row(row)), malformed)
      case e: SparkThrowable => throw e.asInstanceOf[Throwable]
      case NonFatal(e) => throw Errors.damagedPages(file, column, e)
      case _: StackOverflowError => throw Errors.schemaTooDeep(file)
      case e: OutOfMemoryError => throw Errors.decodingMemory(file, column, e)
    }
}

private object BatchPosition {

  /** Spark's error conditions for malformed bytes of a variant, and the reasons in our errors. */
  private val byteErrors = Map(
    "MALFORMED_VARIANT" -> "its bytes do not fit together",
    "UNKNOWN_PRIMITIVE_TYPE_IN_VARIANT" -> "it has a value of a type that Spark does not know"
  )
}
