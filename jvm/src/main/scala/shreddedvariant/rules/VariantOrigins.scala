/** Finds the attributes of a plan that hold variants or maps of tables of this source, and their origins. */
package shreddedvariant.rules

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumnsUtils
import shreddedvariant.layout.{PathColumn, PathStep}

/** A variant or map that another attribute holds, or a part of it. */
private[rules] final case class Origin(ref: ColumnRef, steps: Seq[PathStep]) {

  /** A path of this variant as a path of the other attribute. */
  def path(below: PathColumn): PathColumn =
    below.copy(column = ref.fields ++ below.column, steps = steps ++ below.steps)
}

/**
 * A projection that renames a variant renames its hidden attributes too: a self-join has the same relation,
 * with the same attributes, on both sides, and only the new names distinguish the sides. A union has the
 * attributes of its first child.
 */
private[rules] final class VariantOrigins(plan: LogicalPlan, leaves: ScannedTables) {

  /** The columns of tables of this source, with their names in the tables. */
  val columns: Map[ExprId, (ScannedTable, String)] =
    plan.collectLeaves().flatMap(leaves.find(_)).flatMap { leaf =>
      leaf.columns.filter(a => InParts.isHeldBy(a.dataType) && !hasDefault(a)).map(a =>
        a.exprId -> (leaf, a.name)
      )
    }.toMap

  private val renamed = mutable.Map.empty[ExprId, Origin]
  private val united = mutable.Map.empty[ExprId, Set[ExprId]].withDefaultValue(Set.empty)

  val finder = new AccessFinder(id => columns.contains(id) || renamed.contains(id))
  if (columns.nonEmpty) plan.foreachUp {
    case p: Project => p.projectList.foreach(name)
    case a: Aggregate => a.aggregateExpressions.foreach(name)
    case u: Union => u.children.map(_.output).transpose.foreach(unite)
    case _ =>
  }

  def origin(attribute: ExprId): Option[Origin] = renamed.get(attribute)

  /** The attributes that a union combines with an attribute of its first child. */
  def others(attribute: ExprId): Set[ExprId] = united(attribute)

  private def name(column: NamedExpression): Unit = column match {
    case Alias(child, _) if InParts.isHeldBy(child.dataType) =>
      val value = RowPickingAggregate.unapply(child).fold(child)(_._1)
      finder.part(value).map { case (ref, steps) => Origin(ref, steps) }
        .orElse(finder.holder(value).map(Origin(_, Nil)))
        .foreach(renamed(column.exprId) = _)
    case _ =>
  }

  private def unite(attributes: Seq[Attribute]): Unit =
    if (InParts(attributes.head.dataType))
      united(attributes.head.exprId) ++= attributes.tail.map(_.exprId).filter(_ != attributes.head.exprId)

  /** Whether a column has a default, which is the value in files without the column; paths do not have it. */
  private def hasDefault(column: Attribute) =
    column.metadata.contains(ResolveDefaultColumnsUtils.EXISTS_DEFAULT_COLUMN_METADATA_KEY)
}
