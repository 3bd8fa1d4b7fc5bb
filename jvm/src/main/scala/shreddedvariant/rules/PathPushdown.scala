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

/**
 * What a plan asks of the variants of its relations: hidden attributes, each for one attribute that holds a variant.
 *
 * A projection that renames a variant renames its hidden attributes too. A self-join has the same relation, with the
 * same attributes, on both sides, and only such names keep them apart.
 */
private final class PathDemand(plan: LogicalPlan, relations: Seq[DataSourceV2Relation]) {
  private val names: Map[ExprId, String] =
    relations.flatMap(_.output.filter(a => holdsVariant(a.dataType)).map(a => a.exprId -> a.name)).toMap
  private val renamed: Map[ExprId, VariantRef] = findRenamed
  private val attributes = mutable.LinkedHashMap.empty[(ExprId, PathColumn), AttributeReference]

  val finder = new AccessFinder(id => names.contains(id) || renamed.contains(id))
  plan.foreach(_.expressions.foreach(collect))

  def isEmpty: Boolean = attributes.isEmpty

  /** The paths that are asked of a relation's attribute, by their columns in the table. */
  def of(attribute: Attribute): Seq[(PathColumn, AttributeReference)] =
    hiddenOf(attribute.exprId).map { case (column, hidden) =>
      column.copy(variant = attribute.name +: column.variant) -> hidden
    }

  /** The hidden attributes that go with a column of a projection. */
  def along(column: NamedExpression, available: AttributeSet): Seq[NamedExpression] = column match {
    case _: Alias if renamed.contains(column.exprId) =>
      for {
        (path, hidden) <- hiddenOf(column.exprId)
        source <- attribute(renamed(column.exprId), path) if available.contains(source)
      } yield Alias(source, source.name)(exprId = hidden.exprId)
    case a: Attribute => hiddenOf(a.exprId).map(_._2).filter(available.contains)
    case _ => Nil
  }

  def attribute(access: PathAccess, column: PathColumn): Option[AttributeReference] =
    attributes.get((access.ref.attribute, column))

  def presenceOf(ref: VariantRef): Option[AttributeReference] = attributes.get((ref.attribute, presence(ref)))

  private def hiddenOf(attribute: ExprId): Seq[(PathColumn, AttributeReference)] =
    attributes.collect { case ((id, column), hidden) if id == attribute => column -> hidden }.toSeq

  /** The hidden attribute of `source` for a path below a renamed attribute. */
  private def attribute(source: VariantRef, path: PathColumn): Option[AttributeReference] =
    attributes.get((source.attribute, path.copy(variant = source.fields ++ path.variant)))

  private def presence(ref: VariantRef) = PathColumn(ref.fields, Nil, Wanted.Presence)

  private def collect(e: Expression): Unit = finder.access(e) match {
    case Some(access) =>
      want(access.ref.attribute, access.value)
      if (access.canFail) want(access.ref.attribute, access.failure)
    case None =>
      finder.presence(e).foreach(ref => want(ref.attribute, presence(ref)))
      if (!Correlation(e)) e.children.foreach(collect)
  }

  private def want(attribute: ExprId, path: PathColumn): Unit = {
    val name = path.copy(variant = names.get(attribute).toSeq ++ path.variant).name
    attributes.getOrElseUpdate(
      (attribute, path),
      AttributeReference(name, path.wanted.dataType, nullable = true)()
    )
    renamed.get(attribute).foreach { source =>
      want(source.attribute, path.copy(variant = source.fields ++ path.variant))
    }
  }

  private def findRenamed: Map[ExprId, VariantRef] = {
    val found = mutable.Map.empty[ExprId, VariantRef]
    val sources = new AccessFinder(id => names.contains(id) || found.contains(id))
    plan.foreachUp {
      case p: Project =>
        for (
          alias @ Alias(child, _) <- p.projectList if holdsVariant(child.dataType);
          ref <- sources.holder(child)
        )
          found(alias.exprId) = ref
      case _ =>
    }
    found.toMap
  }

  private def holdsVariant(dataType: DataType): Boolean = dataType match {
    case VariantType => true
    case StructType(fields) => fields.exists(f => holdsVariant(f.dataType))
    case _ => false
  }
}

/**
 * A subquery names the outer attributes that it needs once and for all, before this rule: an access in its condition
 * has to stay one to the whole variant.
 */
private object Correlation {
  def apply(e: Expression): Boolean = e.isInstanceOf[SubqueryExpression]
}

private final class PathRewrite(wanted: PathDemand) {
  def apply(plan: LogicalPlan): LogicalPlan = restore(plan, rewrite(plan))

  private def rewrite(plan: LogicalPlan): LogicalPlan = plan match {
    case r @ PathRelation(table) =>
      val columns = r.output.flatMap(wanted.of)
      if (columns.isEmpty) r
      else
        r.copy(table = table.withPathColumns(columns.map(_._1)), output = r.output ++ columns.map(_._2))
    case p: Project =>
      val child = rewrite(p.child)
      val list = p.projectList.map(replace(_, child.outputSet).asInstanceOf[NamedExpression])
      Project(list ++ p.projectList.flatMap(wanted.along(_, child.outputSet)), child)
    case f: Filter =>
      val child = rewrite(f.child)
      Filter(replace(withoutImplied(f.condition, child.outputSet), child.outputSet), child)
    case _: Sort | _: LocalLimit | _: GlobalLimit | _: Offset | _: Tail | _: Join | _: Window | _: Sample |
        _: Repartition | _: RepartitionByExpression | _: RebalancePartitions | _: Generate | _: Aggregate =>
      val children = plan.children.map(rewrite)
      val available = AttributeSet(children.flatMap(_.output))
      plan.withNewChildren(children).mapExpressions(replace(_, available))
    case other => other.mapChildren(child => restore(child, rewrite(child)))
  }

  /** Other nodes may count on the columns that they had. */
  private def restore(before: LogicalPlan, after: LogicalPlan): LogicalPlan =
    if (after.output.map(_.exprId) == before.output.map(_.exprId)) after else Project(before.output, after)

  private def replace(e: Expression, available: AttributeSet): Expression =
    wanted.finder.access(e).flatMap(column(_, available)).orElse(presence(e, available)).getOrElse {
      if (Correlation(e)) e else e.mapChildren(replace(_, available))
    }

  private def column(access: PathAccess, available: AttributeSet): Option[Expression] =
    wanted.attribute(access, access.value).filter(available.contains).map { value =>
      if (!access.canFail) value
      else {
        val failing = wanted.attribute(access, access.failure).get
        val raise = VariantGet(failing, Literal("$"), access.target, failOnError = true, access.zone)
        Coalesce(Seq(value, raise))
      }
    }

  private def presence(e: Expression, available: AttributeSet): Option[Expression] =
    wanted.finder.presence(e).flatMap(wanted.presenceOf).filter(available.contains).map { present =>
      e match {
        case _: IsNull => IsNull(present)
        case _: IsNotNull => IsNotNull(present)
        case _ => Count(Seq(present))
      }
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
