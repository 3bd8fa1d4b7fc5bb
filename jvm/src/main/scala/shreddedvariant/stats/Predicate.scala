/** A filter of a query as far as statistics can judge it, and the judgement. */
package shreddedvariant.stats

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.DataType
import shreddedvariant.layout.PathColumn

/** Where the values of a column come from: a path of a variant, or a column of the file by its names. */
sealed trait Origin extends Serializable

object Origin {
  final case class Path(column: PathColumn) extends Origin
  final case class Plain(names: Seq[String]) extends Origin
}

/**
 * What a test sees: the values of `origin` cast to the first of `types`, and from there on to the others without loss.
 * `isStrict` says that a cast that fails is an error and not NULL.
 */
final case class Column(origin: Origin, types: Seq[DataType], isStrict: Boolean, text: String) {
  def dataType: DataType = types.last
}

sealed abstract class Predicate extends Serializable {
  import Predicate._

  /** The part that can show that it is not `truth`; None if there is none. */
  def usable(truth: Boolean = true): Option[Predicate] = this match {
    case And(left, right) => both(left, right, truth, eitherWillDo = truth)(And(_, _))
    case Or(left, right) => both(left, right, truth, eitherWillDo = !truth)(Or(_, _))
    case Not(child) => child.usable(!truth).map(Not(_))
    case _: Unknown => None
    case other => Some(other)
  }

  private def both(left: Predicate, right: Predicate, truth: Boolean, eitherWillDo: Boolean)(
      make: (Predicate, Predicate) => Predicate
  ) = (left.usable(truth), right.usable(truth)) match {
    case (Some(l), Some(r)) => Some(make(l, r))
    case (l, r) => if (eitherWillDo) l.orElse(r) else None
  }

  /** What it asks of the rows of one partition. */
  def at(values: InternalRow): Predicate = this match {
    case And(left, right) => And(left.at(values), right.at(values))
    case Or(left, right) => Or(left.at(values), right.at(values))
    case Not(child) => Not(child.at(values))
    case OfPartition(text, test) =>
      try Known(test(values))
      // Whether that is the query's error is for Spark to find.
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

  /** The same in every row; None is NULL. */
  final case class Known(value: Option[Boolean]) extends Predicate

  /** The same in all rows of a partition, by the values that its files share. */
  final case class OfPartition(override val text: String, test: PartitionTest) extends Predicate

  /** What statistics cannot judge, and why. */
  final case class Unknown(override val text: String, reason: String) extends Predicate
}

/** A test of the values of partition columns; None is NULL. */
trait PartitionTest extends Serializable {
  def apply(values: InternalRow): Option[Boolean]
}

/** Sets of rows: as whole, some or none of a row group, or as spans of it. */
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

/** Folds a predicate over what its tests may give. */
final class Judgement(laws: SkippingRules = SkippingRules.all) {
  import Predicate._

  private val order = new DatumOrder(laws)

  /** The rows in which the predicate may be `truth`, by those in which its tests may be. */
  def rows[A](predicate: Predicate, truth: Boolean = true)(test: (Column, ColumnPredicate, Boolean) => A)(
      implicit algebra: RowAlgebra[A]
  ): A = predicate match {
    case And(left, right) if truth => algebra.both(rows(left, truth)(test), rows(right, truth)(test))
    case And(left, right) => algebra.either(rows(left, truth)(test), rows(right, truth)(test))
    case Or(left, right) if truth => algebra.either(rows(left, truth)(test), rows(right, truth)(test))
    case Or(left, right) => algebra.both(rows(left, truth)(test), rows(right, truth)(test))
    // What may be true in a row group may be false there as well: "cannot be" is judged on both sides of NOT.
    case Not(child) if laws.hold(SkippingRule.ThreeValuedNot) => rows(child, !truth)(test)
    case Not(child) => complement(rows(child, truth)(test))
    case Holds(column, asked) => test(column, asked, truth)
    case Known(value) => if (value.contains(truth)) algebra.all else algebra.none
    case _: Unknown | _: OfPartition => algebra.all
  }

  def mayBe(test: ColumnPredicate, truth: Boolean, possible: ValueDomain): Boolean =
    test.mayBe(truth, possible, order)

  private def complement[A](rows: A)(implicit algebra: RowAlgebra[A]): A =
    if (rows == algebra.none) algebra.all else algebra.none
}
