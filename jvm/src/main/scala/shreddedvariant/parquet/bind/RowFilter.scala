/** The filter of a query, as it is evaluated on rows before their other columns are read. */
package shreddedvariant.parquet.bind

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BasePredicate, Expression, Predicate}
import org.apache.spark.sql.types.StructType

/**
 * `condition` is Spark's own expression, bound to `columns`, some of those that the query reads.
 *
 * Law: a row that is left out is one of which the condition is false or NULL, and Spark, which evaluates the same
 * condition again, would drop it. Where a row raises, nothing of its row group is left out: whether that is the query's
 * error is for Spark to find.
 */
final case class RowFilter(columns: StructType, condition: Expression) {

  /** Compiled once for all files of a task: each task has a copy of its own. */
  @transient lazy val test: RowTest = new RowTest(Predicate.create(condition))

  /** What became of late materialisation so far. */
  @transient private[parquet] lazy val attempts: Attempts = new Attempts
}

final class RowTest(condition: BasePredicate) {
  condition.initialize(0)

  /** None where the condition has no answer but an error. */
  def apply(row: InternalRow): Option[Boolean] =
    try if (condition.eval(row)) RowTest.passes else RowTest.fails
    catch { case NonFatal(_) => None }
}

private[parquet] object RowTest {
  val passes: Option[Boolean] = Some(true)
  val fails: Option[Boolean] = Some(false)
}
