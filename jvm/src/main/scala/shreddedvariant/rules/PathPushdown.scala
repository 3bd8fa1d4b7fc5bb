/**
 * Turns accesses to paths of variants into plain columns of the scan.
 *
 * A relation gets a hidden attribute for each path that the plan asks of it, as Spark does for metadata columns, and the
 * accesses above become that attribute. From there Spark's own rules prune columns and push filters. The rule runs
 * before scans are built and after predicates were pushed down.
 *
 * Why the result is the same: a hidden attribute is a function of the variant in its row, null for a NULL variant. A
 * node that passes the variant's row on passes the attribute on, and an outer join that makes the variant NULL makes
 * the attribute NULL. Casts that may raise raise where Spark would have: see [[PathRewrite]].
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
   * The plan with paths as columns; None if there is nothing to do. Law: whenever this gives a plan, that has fewer
   * accesses that can be found than before, so applying it again and again comes to an end.
   */
  def over(leaves: ScannedTables, plan: LogicalPlan): Option[LogicalPlan] = {
    val named =
      if (plan.collectLeaves().exists(leaves.find(_).isDefined)) RowPickingAggregate.named(plan) else plan
    val wanted = new PathDemand(named, leaves)
    if (wanted.isEmpty) None
    else {
      val rewrite = new PathRewrite(wanted, leaves)
      val rewritten = rewrite(named)
      if (rewrite.hasReplaced) Some(withoutUnread(tidy(rewritten))) else None
    }
  }

  /** Drops the variants that nobody reads any more, and the projections that only passed attributes on. */
  private def tidy(plan: LogicalPlan): LogicalPlan = {
    val pruned = RemoveNoopOperators(CollapseProject(ColumnPruning(plan)))
    if (pruned.fastEquals(plan)) plan else tidy(pruned)
  }

  /** Takes paths back that nothing came of, because a node on the way does not pass them on. */
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
