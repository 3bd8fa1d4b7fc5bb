/**
 * [[PathPushdown]] for scans that are built already.
 *
 * A session that meets the format after its start has no rule of ours before scans are built, only those that its
 * source adds to `spark.experimental.extraOptimizations`, which run at the end. So the scans are taken back, and Spark's
 * own rule builds them anew. Also where the early rule has run, this one finds accesses that were no part of the plan by
 * then: those in the correlation of subqueries, which have become joins.
 */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, DynamicPruning, DynamicPruningSubquery}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, Join, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.V2ScanRelationPushDown
import shreddedvariant.SparkBridge

object LatePathPushdown extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    PathPushdown.over(Scans, plan).fold(plan)(paths => PrunedJoins(V2ScanRelationPushDown(paths)))
}

/**
 * Dynamic pruning asks one side of a join for the keys of the other, of which it has made a copy by now: that would read
 * whole variants and maps, and be no longer the side whose exchange it shares. The side as it is takes the copy's place.
 *
 * Law: a row joins with none if its key is none of the other side's. So whatever gives the other side's rows may be asked.
 */
private[rules] object PrunedJoins {
  def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp { case join: Join =>
    join.copy(left = asking(join.left, join.right), right = asking(join.right, join.left))
  }

  private def asking(side: LogicalPlan, other: LogicalPlan): LogicalPlan =
    if (isPruned(other)) side
    else
      side.transform { case filter: Filter =>
        filter.transformExpressions {
          case p: DynamicPruningSubquery if isOf(p, other) => p.withNewPlan(other)
        }
      }

  private def isOf(pruning: DynamicPruningSubquery, other: LogicalPlan) = {
    val keys = AttributeSet(pruning.buildKeys)
    keys.nonEmpty && keys.subsetOf(other.outputSet) && SparkBridge.asksItsOwnPlan(pruning)
  }

  /** Then it asks for something itself, maybe for this side. */
  private def isPruned(plan: LogicalPlan) =
    plan.exists(_.expressions.exists(_.exists(_.isInstanceOf[DynamicPruning])))
}
