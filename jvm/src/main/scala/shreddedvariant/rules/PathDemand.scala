/** The hidden attributes that a plan needs: each has a path of one attribute that holds variants or maps. */
package shreddedvariant.rules

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Union}
import shreddedvariant.layout.PathColumn

private[rules] final class PathDemand(plan: LogicalPlan, leaves: ScannedTables) {
  private val origins = new VariantOrigins(plan, leaves)
  private val attributes = mutable.LinkedHashMap.empty[(ExprId, PathColumn), AttributeReference]
  private lazy val everyRow: Set[(ExprId, PathColumn)] =
    new EveryRow(plan, leaves, finder).accesses.map(a => (a.ref.attribute, a.raising)).toSet

  def finder: AccessFinder = origins.finder
  if (origins.columns.nonEmpty) plan.foreach(_.expressions.foreach(collect))

  def isEmpty: Boolean = attributes.isEmpty

  def asks(leaf: ScannedTable): Boolean = leaf.columns.exists(column => hiddenOf(column.exprId).nonEmpty)

  /** The paths that the plan needs from a leaf and the leaf lacks, as columns of its table. */
  def of(leaf: ScannedTable): Seq[(PathColumn, AttributeReference)] =
    for {
      column <- leaf.columns
      (path, hidden) <- hiddenOf(column.exprId)
      full = path.copy(column = column.name +: path.column)
      if leaf.existing(full).isEmpty
    } yield full -> hidden

  /** The hidden attributes that a projection or an aggregation passes on with a column. */
  def along(column: NamedExpression, available: AttributeSet): Seq[NamedExpression] = column match {
    case Alias(child, _) =>
      for {
        origin <- origins.origin(column.exprId).toSeq
        (path, hidden) <- hiddenOf(column.exprId)
        source <- attributes.get((origin.ref.attribute, origin.path(path)))
        if available.contains(source)
      } yield {
        val value = child match {
          case RowPickingAggregate(_, of) => of(source)
          case _ => source
        }
        Alias(value, source.name)(exprId = hidden.exprId)
      }
    case a: Attribute => hiddenOf(a.exprId).map(_._2).filter(available.contains)
    case _ => Nil
  }

  /** The hidden attributes that a union passes on, each with the attributes of all children. */
  def along(union: Union, available: Seq[AttributeSet]): Seq[Seq[AttributeReference]] =
    for {
      column <- union.children.map(_.output).transpose
      (path, _) <- hiddenOf(column.head.exprId)
      sources = column.zip(available).flatMap { case (a, ofChild) =>
        attributes.get((a.exprId, path)).filter(ofChild.contains)
      }
      if sources.size == column.size
    } yield sources

  /** The hidden attribute with the value of an access. */
  def value(access: Access): Option[AttributeReference] =
    attributes.get((access.ref.attribute, hiddenColumns(access).head))

  /** The hidden attribute with the variants whose cast fails, if the value itself does not raise the error. */
  def failure(access: PathAccess): Option[AttributeReference] =
    hiddenColumns(access).drop(1).headOption.flatMap(failure =>
      attributes.get((access.ref.attribute, failure))
    )

  /** The hidden attribute with the presence of the value that an expression tests for NULL. */
  def presence(e: Expression): Option[AttributeReference] =
    finder.presence(e).flatMap { case (ref, path) => attributes.get((ref.attribute, path)) }

  /** The hidden columns of an access: its value, and the failing variants unless the value raises the error. */
  private def hiddenColumns(access: Access): Seq[PathColumn] = access match {
    case path: PathAccess if mayRaise(path) => Seq(path.raising)
    case path: PathAccess if path.canFail => Seq(path.value, path.failure)
    case other => Seq(other.value)
  }

  /** Equal accesses raise for the same rows, so all of them may raise if Spark evaluates one for every row. */
  private def mayRaise(access: PathAccess) =
    access.canFail && everyRow.contains((access.ref.attribute, access.raising))

  private def hiddenOf(attribute: ExprId): Seq[(PathColumn, AttributeReference)] =
    attributes.collect { case ((id, column), hidden) if id == attribute => column -> hidden }.toSeq

  private def collect(e: Expression): Unit = finder.access(e) match {
    case Some(access) => hiddenColumns(access).foreach(add(access.ref.attribute, _))
    case None =>
      finder.presence(e) match {
        case Some((ref, path)) =>
          add(ref.attribute, path)
          e match {
            case count: AggregateExpression => count.filter.foreach(collect)
            case _ =>
          }
        case None => if (!Correlation(e)) e.children.foreach(collect)
      }
  }

  private def add(attribute: ExprId, path: PathColumn): Unit =
    if (!attributes.contains((attribute, path)) && !isTaken(attribute, path)) {
      attributes((attribute, path)) = hidden(attribute, path)
      for (origin <- origins.origin(attribute)) add(origin.ref.attribute, origin.path(path))
      origins.others(attribute).foreach(add(_, path))
    }

  private def hidden(attribute: ExprId, path: PathColumn): AttributeReference = {
    val owned = inTable(attribute, path)
    owned.flatMap { case (leaf, full) => leaf.existing(full) }.getOrElse {
      val name = owned.fold(path)(_._2).name
      AttributeReference(name, path.wanted.dataType, nullable = true)()
    }
  }

  /** Whether a column of the table has the name of the hidden column of a path. */
  private def isTaken(attribute: ExprId, path: PathColumn): Boolean =
    inTable(attribute, path).exists { case (leaf, full) =>
      leaf.table.columns.exists(_.name.equalsIgnoreCase(full.name))
    }

  /** The leaf of an attribute, and the path with the name of the column in the table. */
  private def inTable(attribute: ExprId, path: PathColumn): Option[(ScannedTable, PathColumn)] =
    origins.columns.get(attribute).map { case (leaf, name) =>
      leaf -> path.copy(column = name +: path.column)
    }
}

/**
 * Whether an expression is a subquery. Its outer attributes are fixed before this rule, so an access in its
 * condition must read the whole variant until Spark turns the subquery into a join.
 */
private[rules] object Correlation {
  def apply(e: Expression): Boolean = e.isInstanceOf[SubqueryExpression]
}
