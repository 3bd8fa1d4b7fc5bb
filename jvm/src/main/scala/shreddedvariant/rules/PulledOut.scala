/**
 * Puts strict accesses back to where the query has them.
 *
 * Spark's `PullOutVariantExtractions` moves a `variant_get` of a column out of an aggregate, a join or a sort
 * into a projection below it, which evaluates the access for every row, also for rows that the query spares.
 *
 * Law: projections, filters, joins, sorts and limits pass on the row of the variant. So the access to the
 * variant above them is the column of the access below them, and an outer join that makes the column NULL makes
 * the variant NULL, whose accesses are NULL.
 */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._

private[rules] object PulledOut {

  /** The variant that takes the place of a column, and the access to it. */
  private final case class Back(variant: Alias, access: Expression)

  /** Spark may have moved an access twice, from an aggregate above a join: then an alias of it becomes it. */
  @scala.annotation.tailrec
  def putBack(plan: LogicalPlan): LogicalPlan = {
    val moved = plan.collect { case p: Project => p.projectList.filter(isNamed) }.flatten
    if (moved.isEmpty) plan
    else {
      val finder = new VariantOrigins(plan, Scans).finder
      val back = moved.collect {
        case column @ Alias(access, name)
            if canFail(access, finder) && isUsedInPlace(column.toAttribute, plan) =>
          val variant = Alias(access.children.head, name)()
          column.exprId -> Back(variant, access.withNewChildren(variant.toAttribute +: access.children.tail))
      }.toMap
      if (back.isEmpty) plan else putBack(replace(plan, back))
    }
  }

  private def isNamed(column: NamedExpression) = column.isInstanceOf[Alias] && column.name.matches("_ve\\d+")

  private def canFail(e: Expression, finder: AccessFinder) = finder.access(e).exists {
    case access: PathAccess => access.canFail && finder.column(e.children.head).isDefined
    case _ => false
  }

  /** Whether only nodes that [[replace]] knows get the column from their children. */
  private def isUsedInPlace(column: Attribute, plan: LogicalPlan): Boolean = {
    def isUnknown(node: LogicalPlan) = node match {
      case a: Aggregate => a.aggregateExpressions.exists(isColumn(_, column))
      case _: Project | _: Filter | _: Join | _: Sort | _: LocalLimit | _: GlobalLimit => false
      case _ => true
    }
    def isPruned(e: Expression) = e match {
      case p: DynamicPruningSubquery => (p.pruningKey +: p.buildKeys).exists(_.references.contains(column))
      case _ => false
    }
    !plan.outputSet.contains(column) && !plan.exists(node =>
      node.children.exists(_.outputSet.contains(column)) && isUnknown(node) ||
        node.expressions.exists(_.exists(isPruned))
    )
  }

  private def isColumn(e: Expression, column: Attribute) = e match {
    case a: Attribute => a.exprId == column.exprId
    case _ => false
  }

  private def replace(plan: LogicalPlan, back: Map[ExprId, Back]): LogicalPlan = {
    def accesses(e: Expression): Expression = e.transform {
      case a: Attribute if back.contains(a.exprId) => back(a.exprId).access
    }
    plan.transformUp {
      case p: Project =>
        p.copy(projectList = p.projectList.map {
          case column: Alias if back.contains(column.exprId) => back(column.exprId).variant
          case a: Attribute if back.contains(a.exprId) => back(a.exprId).variant.toAttribute
          case other => accesses(other).asInstanceOf[NamedExpression]
        })
      case node => node.mapExpressions(accesses)
    }
  }
}
