/**
 * Matches aggregate functions that return the value of one row, whatever the value is: `first`, `last`,
 * `max_by`, `min_by`, and the functions that Spark makes of `any_value` and `dropDuplicates`.
 *
 * Law: the choice of the row depends only on the order of the rows and on other columns. So the same function
 * of a path returns the path of the same value, in the same aggregation. With `ignoreNulls` the choice depends
 * on the value.
 */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project}

private[rules] object RowPickingAggregate {

  /** The value that is returned, and the same function of another value. */
  def unapply(e: Expression): Option[(Expression, Expression => Expression)] = e match {
    case pick @ AggregateExpression(function, _, false, _, _) =>
      (function match {
        case f @ First(value, false) => Some(value -> ((other: Expression) => f.copy(child = other)))
        case f @ Last(value, false) => Some(value -> ((other: Expression) => f.copy(child = other)))
        case f: MaxBy => Some(f.valueExpr -> ((other: Expression) => f.copy(valueExpr = other)))
        case f: MinBy => Some(f.valueExpr -> ((other: Expression) => f.copy(valueExpr = other)))
        case _ => None
      }).map { case (value, withValue) =>
        value -> ((other: Expression) =>
          pick.copy(aggregateFunction = withValue(other), resultId = NamedExpression.newExprId)
        )
      }
    case _ => None
  }

  /**
   * Moves such functions of variants and maps from inside larger expressions into columns of their own, if a
   * projection above can evaluate the rest of the expressions.
   */
  def named(plan: LogicalPlan): LogicalPlan = plan.transform {
    case a: Aggregate if a.aggregateExpressions.exists(isNested) =>
      val (nested, kept) = a.aggregateExpressions.partition(isNested)
      val picks = nested.flatMap(_.collect {
        case pick @ RowPickingAggregate(value, _) if isInParts(value) => pick
      })
        .map(pick => pick.canonicalized -> Alias(pick, "picked")()).toMap
      val above = a.aggregateExpressions.map(column =>
        if (!isNested(column)) column.toAttribute
        else
          column.transform { case e if picks.contains(e.canonicalized) => picks(e.canonicalized).toAttribute }
            .asInstanceOf[NamedExpression]
      )
      val below = a.copy(aggregateExpressions = kept ++ picks.values)
      if (above.forall(e => e.references.subsetOf(below.outputSet) && !e.exists(isAggregate)))
        Project(above, below)
      else a
  }

  private def isNested(column: NamedExpression) = column match {
    case Alias(RowPickingAggregate(_, _), _) => false
    case other => other.exists { case RowPickingAggregate(value, _) => isInParts(value); case _ => false }
  }

  private def isInParts(e: Expression) = InParts(e.dataType)

  private def isAggregate(e: Expression) = e.isInstanceOf[AggregateExpression]
}
