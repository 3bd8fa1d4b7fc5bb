/** The filter of a query in a form that statistics can evaluate, and its evaluation. */
package shreddedvariant.stats

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.DataType
import shreddedvariant.layout.PathColumn

/** The origin of a column's values: a path of a variant, or a column of the file by its names. */
sealed trait Origin extends Serializable

object Origin {
  final case class Path(column: PathColumn) extends Origin
  final case class Plain(names: Seq[String]) extends Origin
}

/**
 * The input of a column predicate: the values of `origin`, cast to the first of `types`, and then widened to
 * each of the others. `isStrict` means that a failed cast is an error, not NULL.
 */
final case class Column(origin: Origin, types: Seq[DataType], isStrict: Boolean, text: String) {
  def dataType: DataType = types.last
}

sealed abstract class Predicate extends Serializable {
  import Predicate._

  /** The part of the predicate by which statistics can exclude the result `truth`; None if there is none. */
  def usable(truth: Boolean = true): Option[Predicate] = this match {
    case And(left, right) => both(left, right, truth, oneSuffices = truth)(And(_, _))
    case Or(left, right) => both(left, right, truth, oneSuffices = !truth)(Or(_, _))
    case Not(child) => child.usable(!truth).map(Not(_))
    case _: Unknown => None
    case other => Some(other)
  }

  private def both(left: Predicate, right: Predicate, truth: Boolean, oneSuffices: Boolean)(
      make: (Predicate, Predicate) => Predicate
  ) = (left.usable(truth), right.usable(truth)) match {
    case (Some(l), Some(r)) => Some(make(l, r))
    case (l, r) => if (oneSuffices) l.orElse(r) else None
  }

  /** The predicate for the rows of one partition, whose partition columns have these `values`. */
  def at(values: InternalRow): Predicate = this match {
    case And(left, right) => And(left.at(values), right.at(values))
    case Or(left, right) => Or(left.at(values), right.at(values))
    case Not(child) => Not(child.at(values))
    case OfPartition(text, test) =>
      try Known(test(values))
      // Spark decides whether the query raises this error.
      catch { case NonFatal(_) => Unknown(text, "it raises") }
    case other => other
  }

  def unknowns: Seq[Unknown] = this match {
    case And(left, right) => left.unknowns ++ right.unknowns
    case Or(left, right) => left.unknowns ++ right.unknowns
    case Not(child) => child.unknowns
    case unknown: Unknown => Seq(unknown)
    case _ => Nil
  }

  def text: String = this match {
    case And(left, right) => s"(${left.text} AND ${right.text})"
    case Or(left, right) => s"(${left.text} OR ${right.text})"
    case Not(Holds(column, test)) => test.negated(column.text)
    case Not(child) => s"NOT ${child.text}"
    case Holds(column, test) => test.text(column.text)
    case Known(value) => value.fold("NULL")(_.toString)
    case OfPartition(text, _) => text
    case Unknown(text, _) => text
  }
}

object Predicate {
  final case class And(left: Predicate, right: Predicate) extends Predicate
  final case class Or(left: Predicate, right: Predicate) extends Predicate
  final case class Not(child: Predicate) extends Predicate
  final case class Holds(column: Column, test: ColumnPredicate) extends Predicate

  /** A predicate with the same result in every row; None is NULL. */
  final case class Known(value: Option[Boolean]) extends Predicate

  /** A predicate on partition columns, with the same result in all rows of a partition. */
  final case class OfPartition(override val text: String, test: PartitionTest) extends Predicate

  /** A predicate that statistics cannot evaluate, and the reason. */
  final case class Unknown(override val text: String, reason: String) extends Predicate
}

/** A predicate on the values of partition columns; None is NULL. */
trait PartitionTest extends Serializable {
  def apply(values: InternalRow): Option[Boolean]
}

/** Sets of rows of a row group: either all rows or none, or ranges of rows. */
trait RowAlgebra[A] {
  def all: A
  def none: A
  def both(left: A, right: => A): A
  def either(left: A, right: => A): A
}

object RowAlgebra {
  implicit val whole: RowAlgebra[Boolean] = new RowAlgebra[Boolean] {
    override def all: Boolean = true
    override def none: Boolean = false
    override def both(left: Boolean, right: => Boolean): Boolean = left && right
    override def either(left: Boolean, right: => Boolean): Boolean = left || right
  }
}

/** Evaluates a predicate from the possible results of its column predicates. */
final class Judgement(laws: SkippingRules = SkippingRules.all) {
  import Predicate._

  private val order = new DatumOrder(laws)

  /** The rows for which the predicate may be `truth`; `test` gives these rows for each column predicate. */
  def rows[A](predicate: Predicate, truth: Boolean = true)(test: (Column, ColumnPredicate, Boolean) => A)(
      implicit algebra: RowAlgebra[A]
  ): A = predicate match {
    case And(left, right) if truth => algebra.both(rows(left, truth)(test), rows(right, truth)(test))
    case And(left, right) => algebra.either(rows(left, truth)(test), rows(right, truth)(test))
    case Or(left, right) if truth => algebra.either(rows(left, truth)(test), rows(right, truth)(test))
    case Or(left, right) => algebra.both(rows(left, truth)(test), rows(right, truth)(test))
    // A row group may have rows for which the child is true and others for which it is false: no complement.
    case Not(child) if laws.hold(SkippingRule.ThreeValuedNot) => rows(child, !truth)(test)
    case Not(child) => complement(rows(child, truth)(test))
    case Holds(column, predicate) => test(column, predicate, truth)
    case Known(value) => if (value.contains(truth)) algebra.all else algebra.none
    case _: Unknown | _: OfPartition => algebra.all
  }

  def mayBe(test: ColumnPredicate, truth: Boolean, possible: ValueDomain): Boolean =
    test.mayBe(truth, possible, order)

  private def complement[A](rows: A)(implicit algebra: RowAlgebra[A]): A =
    if (rows == algebra.none) algebra.all else algebra.none
}
