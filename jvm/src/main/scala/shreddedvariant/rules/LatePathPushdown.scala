/**
 * [[PathPushdown]] for plans whose scans are built.
 *
 * A session that gets the jar after its start has no rules of this source before scans are built, only those in
 * `spark.experimental.extraOptimizations`, which run at the end. So this rule replaces scans by relations, and
 * Spark's own rule builds the scans again. If the early rule has run, this rule finds the accesses that were
 * not in the plan then: those in the correlation of subqueries, which have become joins.
 */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, DynamicPruning, DynamicPruningSubquery}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, Join, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.V2ScanRelationPushDown
import shreddedvariant.SparkBridge

object LatePathPushdown extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    PathPushdown.over(Scans, PulledOut.putBack(plan)).fold(plan)(paths =>
      PrunedJoins(V2ScanRelationPushDown(paths))
    )
}

/**
 * Replaces the query of dynamic pruning by the rewritten side of the join.
 *
 * Dynamic pruning filters one side of a join by the keys of the other side, and has a copy of the plan of that
 * side. The copy reads whole variants and maps, and differs from the rewritten side, so that Spark could not
 * share the exchange.
 *
 * Law: a row joins with no row if its key is not a key of the other side. So any plan that returns the rows of
 * the other side gives the right keys.
 */
private[rules] object PrunedJoins {
  def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp { case join: Join =>
    join.copy(left = withKeysOf(join.left, join.right), right = withKeysOf(join.right, join.left))
  }

  private def withKeysOf(side: LogicalPlan, other: LogicalPlan): LogicalPlan =
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

  /** Whether a side has dynamic pruning of its own, maybe with keys of this side. */
  private def isPruned(plan: LogicalPlan) =
    plan.exists(_.expressions.exists(_.exists(_.isInstanceOf[DynamicPruning])))
}
