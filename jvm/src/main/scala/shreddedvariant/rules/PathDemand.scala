/**
 * What a plan asks of the variants of its leaves: hidden attributes, each for one attribute that holds a variant.
 *
 * A projection that renames a variant renames its hidden attributes too. A self-join has the same relation, with the
 * same attributes, on both sides, and only such names keep them apart.
 */
package shreddedvariant.rules

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.types.{DataType, StructType, VariantType}
import shreddedvariant.layout.{PathColumn, Wanted}

private[rules] final class PathDemand(plan: LogicalPlan, leaves: Seq[PathLeaf]) {
  private val owners: Map[ExprId, (PathLeaf, String)] =
    (for (leaf <- leaves; a <- leaf.columns if holdsVariant(a.dataType))
      yield a.exprId -> (leaf, a.name)).toMap
  private val renamed: Map[ExprId, VariantRef] = findRenamed
  private val attributes = mutable.LinkedHashMap.empty[(ExprId, PathColumn), AttributeReference]

  val finder = new AccessFinder(id => owners.contains(id) || renamed.contains(id))
  plan.foreach(_.expressions.foreach(collect))

  def isEmpty: Boolean = attributes.isEmpty

  /** The paths that are asked of a leaf beyond those that it has, by their columns in the table. */
  def of(leaf: PathLeaf): Seq[(PathColumn, AttributeReference)] =
    for {
      column <- leaf.columns
      (path, hidden) <- hiddenOf(column.exprId)
      full = path.copy(variant = column.name +: path.variant)
      if leaf.existing(full).isEmpty
    } yield full -> hidden

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
    attributes.getOrElseUpdate((attribute, path), hidden(attribute, path))
    renamed.get(attribute).foreach { source =>
      want(source.attribute, path.copy(variant = source.fields ++ path.variant))
    }
  }

  private def hidden(attribute: ExprId, path: PathColumn): AttributeReference = {
    val (leaf, full) = owners.get(attribute).fold((Option.empty[PathLeaf], path)) { case (owner, name) =>
      (Some(owner), path.copy(variant = name +: path.variant))
    }
    leaf.flatMap(_.existing(full)).getOrElse(
      AttributeReference(full.name, path.wanted.dataType, nullable = true)()
    )
  }

  private def findRenamed: Map[ExprId, VariantRef] = {
    val found = mutable.Map.empty[ExprId, VariantRef]
    val sources = new AccessFinder(id => owners.contains(id) || found.contains(id))
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
 * has to stay one to the whole variant, until Spark has made a join of it.
 */
private[rules] object Correlation {
  def apply(e: Expression): Boolean = e.isInstanceOf[SubqueryExpression]
}
