/**
 * Turns accesses to paths of variants into plain columns of the scan.
 *
 * A relation gets a hidden attribute for each path that the plan asks of it, as Spark does for metadata columns, and the
 * accesses above become that attribute. From there Spark's own rules prune columns and push filters. The rule runs
 * before scans are built and after predicates were pushed down.
 *
 * Why the result is the same: a hidden attribute is a function of the variant in its row, null for a NULL variant. A
 * node that passes the variant's row on passes the attribute on, and an outer join that makes the variant NULL makes
 * the attribute NULL. Casts that may raise are not evaluated in the scan: `Coalesce(h, variant_get(failing, '$', T))`
 * raises just where Spark would have, since `failing` is the variant itself wherever `h` is NULL without its leave.
 */
package shreddedvariant.rules

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.Count
import org.apache.spark.sql.catalyst.expressions.variant.VariantGet
import org.apache.spark.sql.catalyst.optimizer.{CollapseProject, ColumnPruning, RemoveNoopOperators}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.{DataType, StructType, VariantType}
import shreddedvariant.layout.{PathColumn, Wanted}

object PathPushdown extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    val relations = plan.collect { case r @ PathRelation(_) => r }
    if (relations.isEmpty) plan
    else {
      val wanted = new PathDemand(plan, relations)
      if (wanted.isEmpty) plan else tidy(new PathRewrite(wanted)(plan))
    }
  }

  /** Drops the variants that nobody reads any more, and the projections that only passed attributes on. */
  private def tidy(plan: LogicalPlan): LogicalPlan = {
    val pruned = RemoveNoopOperators(CollapseProject(ColumnPruning(plan)))
    if (pruned.fastEquals(plan)) plan else tidy(pruned)
  }
}

/** A relation over one of our tables whose paths are not yet columns. */
private object PathRelation {
  def unapply(r: DataSourceV2Relation): Option[PathTable] = r.table match {
    case t: PathTable if t.pathColumns.isEmpty => Some(t)
    case _ => None
  }
}

/** What a plan asks of the variants of its relations. */
private final class PathDemand(plan: LogicalPlan, relations: Seq[DataSourceV2Relation]) {
  val finder = new AccessFinder(references)

  /** The hidden attributes of each relation's attribute, by what they hold. */
  private val attributes = mutable.LinkedHashMap.empty[(ExprId, PathColumn), AttributeReference]
  plan.foreach(_.expressions.foreach(collect))

  def isEmpty: Boolean = attributes.isEmpty

  def of(attribute: ExprId): Seq[(PathColumn, AttributeReference)] =
    attributes.collect { case ((id, column), a) if id == attribute => column -> a }.toSeq

  def attribute(ref: VariantRef, column: PathColumn): AttributeReference = attributes((ref.attribute, column))

  def presenceOf(ref: VariantRef): PathColumn = PathColumn(ref.column, Nil, Wanted.Presence)

  lazy val hidden: AttributeSet = AttributeSet(attributes.values)

  private def collect(e: Expression): Unit = finder.access(e) match {
    case Some(access) =>
      want(access.ref, access.value)
      if (access.canFail) want(access.ref, access.failure)
    case None =>
      finder.presence(e).foreach(ref => want(ref, presenceOf(ref)))
      e.children.foreach(collect)
  }

  private def want(ref: VariantRef, column: PathColumn): Unit = {
    attributes.getOrElseUpdate(
      (ref.attribute, column),
      AttributeReference(column.name, column.wanted.dataType, nullable = true)()
    )
    ()
  }

  /** Attributes that hold variants, at relations and under the names that projections give them. */
  private def references: Map[ExprId, Seq[String] => Option[VariantRef]] = {
    val known = mutable.Map.empty[ExprId, Seq[String] => Option[VariantRef]]
    for (r <- relations; a <- r.output if holdsVariant(a))
      known(a.exprId) = below => Some(VariantRef(a.exprId, a.name +: below))
    plan.foreachUp {
      case p: Project =>
        val soFar = new AccessFinder(known.toMap)
        for (alias @ Alias(child, _) <- p.projectList if holdsVariant(child))
          if (soFar.column(child, Nil).isDefined) known(alias.exprId) = below => soFar.column(child, below)
      case _ =>
    }
    known.toMap
  }

  private def holdsVariant(e: Expression): Boolean =
    holdsVariant(e.dataType)

  private def holdsVariant(dataType: DataType): Boolean = dataType match {
    case VariantType => true
    case StructType(fields) => fields.exists(f => holdsVariant(f.dataType))
    case _ => false
  }
}

private final class PathRewrite(wanted: PathDemand) {
  def apply(plan: LogicalPlan): LogicalPlan = restore(plan, rewrite(plan))

  private def rewrite(plan: LogicalPlan): LogicalPlan = plan match {
    case r @ PathRelation(table) =>
      val columns = r.output.flatMap(a => wanted.of(a.exprId))
      if (columns.isEmpty) r
      else r.copy(table = table.withPathColumns(columns.map(_._1)), output = r.output ++ columns.map(_._2))
    case p: Project =>
      val child = rewrite(p.child)
      val list = p.projectList.map(replace(_, child.outputSet).asInstanceOf[NamedExpression])
      Project(list ++ child.output.filter(a => wanted.hidden.contains(a) && !p.outputSet.contains(a)), child)
    case f: Filter =>
      val child = rewrite(f.child)
      Filter(replace(withoutImplied(f.condition, child.outputSet), child.outputSet), child)
    case _: Sort | _: LocalLimit | _: GlobalLimit | _: Offset | _: Tail | _: Join | _: Window | _: Sample | _: Repartition |
        _: RepartitionByExpression | _: RebalancePartitions | _: Generate | _: Aggregate =>
      val children = plan.children.map(rewrite)
      val available = AttributeSet(children.flatMap(_.output))
      plan.withNewChildren(children).mapExpressions(replace(_, available))
    case other => other.mapChildren(child => restore(child, rewrite(child)))
  }

  /** Other nodes may count on the columns that they had. */
  private def restore(before: LogicalPlan, after: LogicalPlan): LogicalPlan =
    if (after.output.map(_.exprId) == before.output.map(_.exprId)) after else Project(before.output, after)

  private def replace(whole: Expression, available: AttributeSet): Expression =
    whole.transformDown { case e =>
      wanted.finder.access(e).flatMap(column(_, available)).orElse(presence(e, available)).getOrElse(e)
    }

  private def column(access: PathAccess, available: AttributeSet): Option[Expression] = {
    val value = wanted.attribute(access.ref, access.value)
    if (!available.contains(value)) None
    else if (!access.canFail) Some(value)
    else {
      val failing = wanted.attribute(access.ref, access.failure)
      val raise = VariantGet(failing, Literal("$"), access.target, failOnError = true, access.zone)
      Some(Coalesce(Seq(value, raise)))
    }
  }

  private def presence(e: Expression, available: AttributeSet): Option[Expression] =
    for {
      ref <- wanted.finder.presence(e)
      present = wanted.attribute(ref, wanted.presenceOf(ref)) if available.contains(present)
    } yield e match {
      case _: IsNull => IsNull(present)
      case _: IsNotNull => IsNotNull(present)
      case _ => Count(Seq(present))
    }

  /** `v IS NOT NULL` says nothing beside a conjunct that is not true where `v` is NULL. */
  private def withoutImplied(condition: Expression, available: AttributeSet): Expression = {
    val conjuncts = splitConjuncts(condition)
    val needed = conjuncts.filter {
      case test @ IsNotNull(child) =>
        val ref = wanted.finder.variant(child)
        ref.isEmpty || presence(test, available).isEmpty ||
        !conjuncts.exists(c => (c ne test) && !isPresenceTest(c) && notTrueAtNull(c, ref.get))
      case _ => true
    }
    needed.reduceOption(And).getOrElse(Literal.TrueLiteral)
  }

  private def isPresenceTest(e: Expression) = wanted.finder.presence(e).isDefined

  private def splitConjuncts(e: Expression): Seq[Expression] = e match {
    case And(left, right) => splitConjuncts(left) ++ splitConjuncts(right)
    case other => Seq(other)
  }

  private def notTrueAtNull(e: Expression, ref: VariantRef): Boolean = e match {
    case IsNotNull(child) => notTrueAtNull(child, ref)
    case _ if wanted.finder.variant(e).contains(ref) => true
    case _ => e.nullIntolerant && e.children.exists(notTrueAtNull(_, ref))
  }
}
