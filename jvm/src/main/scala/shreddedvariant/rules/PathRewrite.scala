/**
 * Replaces the accesses of a plan by hidden attributes, and passes the attributes on from the leaves.
 *
 * The column of a strict cast raises no errors, unless Spark evaluates the cast for every row ([[EveryRow]]). A
 * [[StrictCast]] of the column raises an error where Spark would raise it.
 */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Count}
import org.apache.spark.sql.catalyst.plans.logical._

private[rules] final class PathRewrite(demand: PathDemand, leaves: ScannedTables) {

  /** Whether an attribute has replaced an access, so that the plan has changed. */
  var hasReplaced: Boolean = false

  def apply(plan: LogicalPlan): LogicalPlan = restore(plan, rewrite(plan))

  private def rewrite(plan: LogicalPlan): LogicalPlan = plan match {
    case p: Project =>
      val child = rewrite(p.child)
      val list = p.projectList.map(replace(_, child.outputSet).asInstanceOf[NamedExpression])
      val along = p.projectList.flatMap(demand.along(_, child.outputSet))
      Project(list ++ along.filterNot(a => list.exists(_.exprId == a.exprId)), child)
    case a: Aggregate =>
      val child = rewrite(a.child)
      val rewritten =
        a.copy(child = child).mapExpressions(replace(_, child.outputSet)).asInstanceOf[Aggregate]
      val along = a.aggregateExpressions.flatMap(demand.along(_, child.outputSet))
        .map(replace(_, child.outputSet).asInstanceOf[NamedExpression])
      rewritten.copy(aggregateExpressions = rewritten.aggregateExpressions ++ along)
    case u: Union =>
      val children = u.children.map(rewrite)
      val along = demand.along(u, children.map(_.outputSet)).distinctBy(_.head.exprId)
      u.withNewChildren(children.zipWithIndex.map { case (child, i) =>
        if (along.isEmpty) restore(u.children(i), child)
        else Project(u.children(i).output ++ along.map(_(i)), child)
      })
    case e: Expand =>
      val child = rewrite(e.child)
      // The columns that all projections pass on; other columns are NULL in some projections.
      val along = e.output.zip(e.projections.transpose).collect {
        case (a, values) if values.forall { case b: Attribute => b.exprId == a.exprId; case _ => false } => a
      }.flatMap(demand.along(_, child.outputSet)).map(_.toAttribute)
      e.copy(e.projections.map(_.map(replace(_, child.outputSet)) ++ along), e.output ++ along, child)
    case f: Filter =>
      val child = rewrite(f.child)
      Filter(replace(withoutImplied(f.condition, child.outputSet), child.outputSet), child)
    case j: Join =>
      val (left, right) =
        (rewrite(NullTests.left(j, demand.finder)), rewrite(NullTests.right(j, demand.finder)))
      val available = left.outputSet ++ right.outputSet
      j.copy(left = left, right = right).mapExpressions(replace(_, available))
    case _: Sort | _: LocalLimit | _: GlobalLimit | _: Offset | _: Tail | _: Window |
        _: WindowGroupLimit | _: Sample | _: Repartition | _: RepartitionByExpression | _: RebalancePartitions |
        _: Generate | _: BaseEvalPython =>
      val children = plan.children.map(rewrite)
      val available = AttributeSet(children.flatMap(_.output))
      plan.withNewChildren(children).mapExpressions(replace(_, available))
    case other => leaves.find(other).fold(opaque(other))(leaf => withPaths(other, leaf))
  }

  /** Also rebuilds a leaf that has all paths, because the leaf may read the whole column too. */
  private def withPaths(plan: LogicalPlan, leaf: ScannedTable): LogicalPlan =
    if (demand.asks(leaf)) leaf.withPaths(demand.of(leaf)) else plan

  /** Other nodes keep the columns of their children, since they may depend on them. */
  private def opaque(plan: LogicalPlan): LogicalPlan =
    plan.mapChildren(child => restore(child, rewrite(child)))

  private def restore(before: LogicalPlan, after: LogicalPlan): LogicalPlan =
    if (after.output.map(_.exprId) == before.output.map(_.exprId)) after else Project(before.output, after)

  private def replace(e: Expression, available: AttributeSet): Expression =
    demand.finder.access(e).flatMap(column(e, _, available)).orElse(presence(e, available)) match {
      case Some(replaced) => hasReplaced = true; replaced
      case None => if (Correlation(e)) e else e.mapChildren(replace(_, available))
    }

  private def column(e: Expression, access: Access, available: AttributeSet): Option[Expression] =
    demand.value(access).filter(available.contains).map { value =>
      access match {
        case path: PathAccess =>
          demand.failure(path).fold[Expression](value) { failing =>
            StrictCast(value, failing, path.target, path.zone, FailedCast.spelling(e))
          }
        case entry: EntryAccess =>
          entry.otherwise.fold[Expression](value)(absent => Coalesce(Seq(value, absent)))
      }
    }

  private def presence(e: Expression, available: AttributeSet): Option[Expression] =
    demand.presence(e).filter(available.contains).map { present =>
      e match {
        case count: AggregateExpression =>
          count.copy(
            aggregateFunction = Count(Seq(present)),
            filter = count.filter.map(replace(_, available))
          )
        case _: IsNull => IsNull(present)
        case _ => IsNotNull(present)
      }
    }

  /** Removes `v IS NOT NULL` beside a conjunct that is not true if `v` is NULL. */
  private def withoutImplied(condition: Expression, available: AttributeSet): Expression = {
    val conjuncts = Conjuncts(condition)
    val needed = conjuncts.filter {
      case test @ IsNotNull(child) =>
        val ref = demand.finder.column(child)
        ref.isEmpty || presence(test, available).isEmpty ||
        !conjuncts.exists(c =>
          (c ne test) && !isPresenceTest(c) && NullTests.failsAtNull(c, ref.get, demand.finder)
        )
      case _ => true
    }
    needed.reduceOption(And).getOrElse(Literal.TrueLiteral)
  }

  private def isPresenceTest(e: Expression) = demand.finder.presence(e).exists(_._2.steps.isEmpty)
}
