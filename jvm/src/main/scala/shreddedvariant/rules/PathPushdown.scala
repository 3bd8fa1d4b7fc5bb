/**
 * Replaces accesses to paths of variants by plain columns of the scan.
 *
 * A relation gets a hidden attribute for each path that the plan needs from it, as Spark does for metadata
 * columns, and the attribute replaces the accesses above. Then Spark's own rules prune columns and push
 * filters. The rule runs after predicates are pushed down and before scans are built.
 *
 * Law: a hidden attribute is a function of the variant in its row, and NULL for a NULL variant. A node that
 * passes on the row of the variant passes on the attribute, and an outer join that makes the variant NULL makes
 * the attribute NULL. So the result is the same. Strict casts raise errors where Spark would raise them: see
 * [[PathRewrite]].
 */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.expressions.AttributeSet
import org.apache.spark.sql.catalyst.optimizer.{CollapseProject, ColumnPruning, RemoveNoopOperators}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

object PathPushdown extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = over(Relations, plan).getOrElse(plan)

  /**
   * The plan with paths as columns; None if there is nothing to replace. Law: a returned plan has fewer
   * accesses that can be found than the given plan, so repeated application ends.
   */
  def over(leaves: ScannedTables, plan: LogicalPlan): Option[LogicalPlan] = {
    val named =
      if (plan.collectLeaves().exists(leaves.find(_).isDefined)) RowPickingAggregate.named(plan) else plan
    val demand = new PathDemand(named, leaves)
    if (demand.isEmpty) None
    else {
      val rewrite = new PathRewrite(demand, leaves)
      val rewritten = rewrite(named)
      if (rewrite.hasReplaced) Some(withoutUnread(tidy(rewritten))) else None
    }
  }

  /** Removes variants that no expression reads, and projections that only pass attributes on. */
  private def tidy(plan: LogicalPlan): LogicalPlan = {
    val pruned = RemoveNoopOperators(CollapseProject(ColumnPruning(plan)))
    if (pruned.fastEquals(plan)) plan else tidy(pruned)
  }

  /** Removes paths that no expression reads, because a node between them does not pass them on. */
  private def withoutUnread(plan: LogicalPlan): LogicalPlan = {
    val read = AttributeSet(plan.flatMap(_.expressions).flatMap(_.references)) ++ plan.outputSet
    plan.transform {
      case r: DataSourceV2Relation if Relations.table(r).exists(_.pathColumns.nonEmpty) =>
        val table = Relations.table(r).get
        val (kept, unread) = table.pathColumns.partition(path =>
          r.output.exists(a => a.name == path.name && read.contains(a))
        )
        if (unread.isEmpty) r
        else {
          val names = unread.map(_.name).toSet
          r.copy(
            table = table.withPathColumns(kept),
            output = r.output.filterNot(a => names.contains(a.name))
          )
        }
    }
  }
}
