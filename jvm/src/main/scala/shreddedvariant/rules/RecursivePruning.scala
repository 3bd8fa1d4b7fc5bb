/**
 * Takes dynamic pruning of our scans out of recursive queries, whose rounds get their own.
 *
 * Spark runs each round from the optimised plan, which it analyses and optimises again. Analysis gives new attributes to
 * a relation that the plan has twice, also in the query that a dynamic pruning asks, but leaves the keys of the pruning as
 * they are, and the plan is refused. With other formats only keys that are partition columns meet this.
 *
 * Law: dynamic pruning drops only rows that join with none above it, so the plan without it gives the same rows.
 */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.expressions.{DynamicPruning, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, UnionLoop}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation

object RecursivePruning extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transform { case loop: UnionLoop =>
    loop.mapChildren(_.transformWithSubqueries {
      case filter: Filter if isOurs(filter.child) =>
        filter.transformExpressions { case _: DynamicPruning => Literal.TrueLiteral }
    })
  }

  private def isOurs(plan: LogicalPlan) = plan.exists {
    case r: DataSourceV2ScanRelation => r.scan.isInstanceOf[PathScan]
    case _ => false
  }
}
