/** Translates the filters of a scan into predicates on statistics, or into `Unknown` with a reason. */
package shreddedvariant.source.scan

import org.apache.spark.sql.catalyst.{expressions => sql}
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.types._
import shreddedvariant.stats._
import shreddedvariant.stats.Predicate._

/** `partitions` are the partition columns of the scan. */
final class ScanPredicates(
    columns: ScanColumns,
    partitions: StructType = new StructType,
    laws: SkippingRules = SkippingRules.all
) {
  def read(filter: Expression): Predicate = filter match {
    case OfPartitionsAlone(test) => OfPartition(columns.text(filter), test)
    case sql.And(left, right) => And(read(left), read(right))
    case sql.Or(left, right) => Or(read(left), read(right))
    case sql.Not(child) => Not(read(child))
    case Literal(null, BooleanType) => Known(None)
    case Literal(value: Boolean, BooleanType) => Known(Some(value))
    case sql.EqualTo(left, right) =>
      compared(filter, left, right)(holds(ColumnPredicate.Equal(_)), holds(ColumnPredicate.Equal(_)))
    case sql.EqualNullSafe(left, Literal(null, _)) => tested(filter, left)(ColumnPredicate.IsNull)
    case sql.EqualNullSafe(Literal(null, _), right) => tested(filter, right)(ColumnPredicate.IsNull)
    case sql.EqualNullSafe(left, right) =>
      compared(filter, left, right)(
        holds(ColumnPredicate.Equal(_, nullSafe = true)),
        holds(ColumnPredicate.Equal(_, nullSafe = true))
      )
    case sql.LessThan(left, right) => less(filter, left, right, orEqual = false)
    case sql.LessThanOrEqual(left, right) => less(filter, left, right, orEqual = true)
    case sql.GreaterThan(left, right) => read(sql.LessThan(right, left))
    case sql.GreaterThanOrEqual(left, right) => read(sql.LessThanOrEqual(right, left))
    case sql.In(value, list) if list.forall(_.isInstanceOf[Literal]) =>
      in(filter, value, list.map(_.asInstanceOf[Literal]))
    case sql.InSet(value, set) => in(filter, value, set.toSeq.map(Literal(_, value.dataType)))
    case sql.IsNull(child) => tested(filter, child)(ColumnPredicate.IsNull)
    case sql.IsNotNull(child) => Not(tested(filter, child)(ColumnPredicate.IsNull))
    case sql.IsNaN(child) => tested(filter, child)(ColumnPredicate.IsNaN)
    case sql.StartsWith(value, prefix: Literal) =>
      compared(filter, value, prefix)(holds(ColumnPredicate.StartsWith(_)), (_, _) => unjudged(filter))
    case sql.Like(value, Literal(pattern, _), escape) if pattern != null =>
      like(filter, value, pattern.toString.takeWhile(c => c != '%' && c != '_' && c != escape))
    case sql.Coalesce(_) | _: sql.Attribute | _: sql.GetStructField if filter.dataType == BooleanType =>
      compared(filter, filter, Literal(true))(holds(ColumnPredicate.Equal(_)), (_, _) => unjudged(filter))
    case other => unjudged(other)
  }

  private val OfPartitionsAlone = new PartitionFilter.Reader(partitions)
  private val order = new DatumOrder(SkippingRules.all)

  private type Make = (Column, Constant) => Predicate

  private def holds(test: Constant => ColumnPredicate): Make =
    (column, constant) => Holds(column, test(constant))
  private def holdsNot(test: Constant => ColumnPredicate): Make =
    (column, constant) => Not(Holds(column, test(constant)))

  /** A comparison of a column with a constant, in either order. */
  private def compared(filter: Expression, left: Expression, right: Expression)(
      columnLeft: Make,
      columnRight: Make
  ): Predicate = (left, right) match {
    case (_, Literal(null, _)) | (Literal(null, _), _) => Known(None)
    case (column, value: Literal) => comparison(filter, column, value)(columnLeft)
    case (value: Literal, column) => comparison(filter, column, value)(columnRight)
    case _ => Unknown(columns.text(filter), "it compares with no constant")
  }

  private def less(filter: Expression, left: Expression, right: Expression, orEqual: Boolean): Predicate =
    compared(filter, left, right)(
      holds(ColumnPredicate.Less(_, orEqual)),
      holdsNot(ColumnPredicate.Less(_, !orEqual))
    )

  private def comparison(filter: Expression, operand: Expression, value: Literal)(make: Make): Predicate = {
    val made = for {
      column <- comparable(operand)
      constant <- Constants.of(value, column.dataType)
    } yield make(column, constant)
    made.fold(Unknown(columns.text(filter), _), identity)
  }

  private def comparable(e: Expression): Either[String, Column] = columns.find(e).filterOrElse(
    _.dataType match {
      case text: StringType => text == StringType || !laws.hold(SkippingRule.Collations)
      case _ => true
    },
    "its collation has another order than bytes"
  )

  private def tested(filter: Expression, operand: Expression)(test: ColumnPredicate): Predicate =
    columns.find(operand).fold(Unknown(columns.text(filter), _), Holds(_, test))

  private def in(filter: Expression, value: Expression, list: Seq[Literal]): Predicate = {
    val (nulls, others) = list.partition(_.value == null)
    val made = for {
      column <- comparable(value)
      constants = others.map(Constants.of(_, column.dataType))
      wrong = constants.collectFirst { case Left(reason) => reason }
      values <- wrong.toLeft(constants.collect { case Right(constant) => constant })
    } yield Holds(column, ColumnPredicate.In(values.sortBy(_.datum)(order).toIndexedSeq, nulls.nonEmpty))
    made.fold(Unknown(columns.text(filter), _), identity)
  }

  /** A text that matches a pattern begins with the characters before the first wildcard of the pattern. */
  private def like(filter: Expression, value: Expression, prefix: String): Predicate =
    if (prefix.isEmpty) Unknown(columns.text(filter), "its pattern begins with a wildcard")
    else
      comparison(filter, value, Literal(prefix))(holds(ColumnPredicate.StartsWith(_))) match {
        case begins: Holds =>
          And(begins, Unknown(columns.text(filter), "only the start of its pattern is judged"))
        case unknown => unknown
      }

  private def unjudged(filter: Expression): Predicate =
    Unknown(columns.text(filter), s"statistics cannot judge ${filter.prettyName}")
}

private object Constants {

  /** A literal of the column's type as a constant for statistics, or the reason why there is none. */
  def of(literal: Literal, dataType: DataType): Either[String, Constant] =
    if (!isSame(literal.dataType, dataType))
      Left(s"${dataType.sql} is compared with ${literal.dataType.sql}")
    else
      Datum.of(literal.value, dataType).map(Constant(_, text(literal))).toRight(
        s"${dataType.sql} is not judged"
      )

  private def isSame(a: DataType, b: DataType) = (a, b) match {
    case (_: DecimalType, _: DecimalType) => true
    case _ => a == b
  }

  private def text(literal: Literal): String = literal.dataType match {
    case _: StringType => s"'$literal'"
    case _ => literal.toString
  }
}
