/** What a plan asks of the variants and maps of its leaves: hidden attributes, each for one attribute that holds such. */
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

  /** The paths that are asked of a leaf beyond those that it has, by their columns in the table. */
  def of(leaf: ScannedTable): Seq[(PathColumn, AttributeReference)] =
    for {
      column <- leaf.columns
      (path, hidden) <- hiddenOf(column.exprId)
      full = path.copy(column = column.name +: path.column)
      if leaf.existing(full).isEmpty
    } yield full -> hidden

  /** The hidden attributes that go with a column of a projection or an aggregation. */
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

  /** The hidden attributes that go with the columns of a union: for each of them one of every child. */
  def along(union: Union, available: Seq[AttributeSet]): Seq[Seq[AttributeReference]] =
    for {
      column <- union.children.map(_.output).transpose
      (path, _) <- hiddenOf(column.head.exprId)
      sources = column.zip(available).flatMap { case (a, there) =>
        attributes.get((a.exprId, path)).filter(there.contains)
      }
      if sources.size == column.size
    } yield sources

  /** The column that gives an access its value. */
  def value(access: Access): Option[AttributeReference] =
    attributes.get((access.ref.attribute, asked(access).head))

  /** The column that has the failing variants of an access whose value does not raise by itself. */
  def failure(access: PathAccess): Option[AttributeReference] =
    asked(access).drop(1).headOption.flatMap(failure => attributes.get((access.ref.attribute, failure)))

  /** The column that says whether there is what an expression tests for NULL. */
  def presence(e: Expression): Option[AttributeReference] =
    finder.presence(e).flatMap { case (ref, path) => attributes.get((ref.attribute, path)) }

  /** The column of an access's value, and that of the failing variants if the value does not raise by itself. */
  private def asked(access: Access): Seq[PathColumn] = access match {
    case path: PathAccess if mayRaise(path) => Seq(path.raising)
    case path: PathAccess if path.canFail => Seq(path.value, path.failure)
    case other => Seq(other.value)
  }

  /** An access that raises for a row raises wherever it is made: so one that every row meets speaks for all alike. */
  private def mayRaise(access: PathAccess) =
    access.canFail && everyRow.contains((access.ref.attribute, access.raising))

  private def hiddenOf(attribute: ExprId): Seq[(PathColumn, AttributeReference)] =
    attributes.collect { case ((id, column), hidden) if id == attribute => column -> hidden }.toSeq

  private def collect(e: Expression): Unit = finder.access(e) match {
    case Some(access) => asked(access).foreach(want(access.ref.attribute, _))
    case None =>
      finder.presence(e) match {
        case Some((ref, path)) =>
          want(ref.attribute, path)
          e match {
            case count: AggregateExpression => count.filter.foreach(collect)
            case _ =>
          }
        case None => if (!Correlation(e)) e.children.foreach(collect)
      }
  }

  private def want(attribute: ExprId, path: PathColumn): Unit =
    if (!attributes.contains((attribute, path)) && !isTaken(attribute, path)) {
      attributes((attribute, path)) = hidden(attribute, path)
      for (origin <- origins.origin(attribute)) want(origin.ref.attribute, origin.path(path))
      origins.others(attribute).foreach(want(_, path))
    }

  private def hidden(attribute: ExprId, path: PathColumn): AttributeReference = {
    val owned = inTable(attribute, path)
    owned.flatMap { case (leaf, full) => leaf.existing(full) }.getOrElse {
      val name = owned.fold(path)(_._2).name
      AttributeReference(name, path.wanted.dataType, nullable = true)()
    }
  }

  /** Whether the table has a column of its own that has the name of the path's. */
  private def isTaken(attribute: ExprId, path: PathColumn): Boolean =
    inTable(attribute, path).exists { case (leaf, full) =>
      leaf.table.columns.exists(_.name.equalsIgnoreCase(full.name))
    }

  /** A path of a column of a table, with the name of that column. */
  private def inTable(attribute: ExprId, path: PathColumn): Option[(ScannedTable, PathColumn)] =
    origins.columns.get(attribute).map { case (leaf, name) =>
      leaf -> path.copy(column = name +: path.column)
    }
}

/**
 * A subquery names the outer attributes that it needs once and for all, before this rule: an access in its condition
 * has to stay one to the whole variant, until Spark has made a join of it.
 */
private[rules] object Correlation {
  def apply(e: Expression): Boolean = e.isInstanceOf[SubqueryExpression]
}
