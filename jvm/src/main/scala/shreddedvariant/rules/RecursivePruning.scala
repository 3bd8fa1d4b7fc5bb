/**
 * Removes dynamic pruning of scans of this source from recursive queries; each iteration gets dynamic pruning
 * of its own.
 *
 * Spark analyses and optimises the optimised plan again for each iteration. Analysis gives new attributes to a
 * relation that the plan has twice, also in the query of dynamic pruning, but does not change the keys of the
 * pruning, so the plan is refused. With other formats this happens only for partition columns.
 *
 * Law: dynamic pruning drops only rows that join with no row above it, so the plan without it returns the same
 * rows.
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
