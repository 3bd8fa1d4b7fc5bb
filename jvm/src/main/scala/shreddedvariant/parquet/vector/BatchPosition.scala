/** The file and the row numbers of the current batch. */
package shreddedvariant.parquet.vector

import scala.util.control.NonFatal

import org.apache.spark.SparkThrowable
import shreddedvariant.{Errors, ShreddedVariantException}
import shreddedvariant.binary.MalformedVariant

/** Where the current batch stands: the file, and the numbers of its rows there. */
final class BatchPosition(val file: String) {
  private var first = 0L
  private var numbers: Array[Long] = _

  def startAt(firstRow: Long): Unit = { first = firstRow; numbers = null }

  /** The rows of a batch with gaps between them. */
  def startAt(rows: Array[Long]): Unit = numbers = rows

  def row(row: Int): Long = if (numbers == null) first + row else numbers(row)

  /** Adds the file to what is wrong with its columns. */
  def named[A](body: => A): A =
    try body
    catch { case e: ShreddedVariantException => throw Errors.inFile(file, None, e) }

  /** Adds the place to what is wrong with a row. Dictionaries are decoded row by row, so damage may show only here. */
  def guard[A](column: String, row: Int)(body: => A): A =
    try body
    catch {
      case e: ShreddedVariantException => throw Errors.inFile(file, Some(this.row(row)), e)
      case e: MalformedVariant =>
        throw Errors.inFile(file, Some(this.row(row)), Errors.malformedValue(column, e.reason))
      case e: SparkThrowable if BatchPosition.ofBytes.contains(e.getCondition) =>
        val malformed = Errors.malformedValue(column, BatchPosition.ofBytes(e.getCondition))
        throw Errors.inFile(file, Some(this.row(row)), malformed)
      case e: SparkThrowable => throw e.asInstanceOf[Throwable]
      case NonFatal(e) => throw Errors.damagedPages(file, column, e)
    }
}

private object BatchPosition {

  /** What Spark says of the bytes of a variant, wherever they come from. */
  private val ofBytes = Map(
    "MALFORMED_VARIANT" -> "its bytes do not fit together",
    "UNKNOWN_PRIMITIVE_TYPE_IN_VARIANT" -> "it has a value of a type that Spark does not know"
  )
}
