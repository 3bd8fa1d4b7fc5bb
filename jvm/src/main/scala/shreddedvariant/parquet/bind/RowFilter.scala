/** The filter of a query, evaluated on rows before their other columns are read. */
package shreddedvariant.parquet.bind

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BasePredicate, Expression, Predicate}
import org.apache.spark.sql.types.StructType

/**
 * `condition` is Spark's own expression, bound to `columns`, a part of the columns that the query reads.
 *
 * Law: a row is left out only if the condition is false or NULL for this row. Spark evaluates the same
 * condition again and would drop the row. If the condition raises an error for a row, no row of its row group
 * is left out, and Spark decides whether the query fails.
 */
final case class RowFilter(columns: StructType, condition: Expression) {

  /** Compiled once for all files of a task. Each task has its own copy of this object. */
  @transient lazy val test: RowTest = new RowTest(Predicate.create(condition))

  /** The outcome of late materialisation in the row groups of the task so far. */
  @transient private[parquet] lazy val attempts: Attempts = new Attempts
}

final class RowTest(condition: BasePredicate) {
  condition.initialize(0)

  /** None if the condition raises an error. */
  def apply(row: InternalRow): Option[Boolean] =
    try if (condition.eval(row)) RowTest.passes else RowTest.fails
    catch { case NonFatal(_) => None }
}

private[parquet] object RowTest {
  val passes: Option[Boolean] = Some(true)
  val fails: Option[Boolean] = Some(false)
}
