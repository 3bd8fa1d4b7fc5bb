/**
 * [[PathPushdown]] for scans that are built already.
 *
 * A session that meets the format after its start has no rule of ours before scans are built, only those that its
 * source adds to `spark.experimental.extraOptimizations`, which run at the end. So the scans are taken back, and Spark's
 * own rule builds them anew. Also where the early rule has run, this one finds accesses that were no part of the plan by
 * then: those in the correlation of subqueries, which have become joins.
 */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.V2ScanRelationPushDown

object LatePathPushdown extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    PathPushdown.over(Scans, plan).fold(plan)(V2ScanRelationPushDown(_))
}
