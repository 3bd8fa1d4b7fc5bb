/** Decides from the statistics of groups of rows which groups may have rows of a top N. */
package shreddedvariant.stats

import scala.collection.mutable

/** The first `rows` in the order of a column. */
final case class Top(column: Column, isAscending: Boolean, nullsFirst: Boolean, rows: Long) {
  def text: String =
    s"$rows by ${column.text} ${if (isAscending) "ASC" else "DESC"} NULLS ${if (nullsFirst) "FIRST"
      else "LAST"}"
}

/**
 * A group of rows, disjoint from other groups: the number of rows, the minimum number of rows with a value, and
 * the possible values by each source of the column.
 */
final case class RankedRows(rows: Long, values: Long, parts: Seq[ValueDomain]) {
  def orNull: Boolean = parts.exists(_.orNull)
}

/**
 * Law: a row may be skipped only if at least `top.rows` other rows sort strictly before it
 * (`SkippingRule.StrictlyBefore`). Strictly, because the next column of the order may decide between rows that
 * are equal in this column. This stays sound if some of the other rows are skipped too: then at least
 * `top.rows` rows sort strictly before those, and so before this row.
 */
final class FirstRows(top: Top, laws: SkippingRules = SkippingRules.all) {
  private val order: Ordering[Datum] = {
    val ascending = new DatumOrder(laws)
    if (top.isAscending) ascending else ascending.reverse
  }

  private val recorded = mutable.Map.empty[Any, Seq[KnownRows]]

  /**
   * Upper bound for the row number `top.rows`; None until that many rows are known. The bound never gets
   * weaker: a fact about rows stays true if later facts are weaker, because the bounds of pages may be
   * truncated while those of the footer are not.
   */
  private var bound: Option[Datum] = None

  /** Records groups of rows, in place of the groups that were recorded under this name. */
  def note(name: Any, rows: Seq[RankedRows]): Unit = {
    val known = rows.flatMap(r => last(r.parts).map(KnownRows(_, certainRows(r)))).filter(_.rows > 0)
    recorded(name) = known.filter(k => bound.forall(order.lteq(k.last, _)))
    bound = (bound ++ recordedBound).minOption(order)
  }

  /** Whether some of the rows may be in the top N. */
  def mayHold(rows: RankedRows): Boolean =
    bound.isEmpty || top.nullsFirst && rows.orNull || (first(rows.parts) match {
      case Some(first) if laws.hold(SkippingRule.StrictlyBefore) => order.lteq(first, bound.get)
      case Some(first) => order.lt(first, bound.get)
      // Either the values are unknown, or all rows are NULL, and NULL sorts after the bound.
      case None => rows.parts.exists(_.values != Values.None)
    })

  /** The number of rows that certainly sort at or before the last value: NULL counts if NULL sorts first. */
  private def certainRows(rows: RankedRows) = if (top.nullsFirst) rows.rows else rows.values

  /** The bound that follows from the recorded rows. */
  private def recordedBound: Option[Datum] = {
    val sorted = recorded.valuesIterator.flatten.toSeq.sortBy(_.last)(order)
    val sums = sorted.iterator.scanLeft(0L)(_ + _.rows).drop(1)
    sorted.iterator.zip(sums).collectFirst { case (k, sum) if sum >= top.rows => k.last }
  }

  /** A lower bound in the order for the values of rows, and an upper bound; None if there is none. */
  private def first(parts: Seq[ValueDomain]): Option[Datum] = ends(parts, isFirst = true).map(_.min(order))
  private def last(parts: Seq[ValueDomain]): Option[Datum] = ends(parts, isFirst = false).map(_.max(order))

  private def ends(parts: Seq[ValueDomain], isFirst: Boolean): Option[Seq[Datum]] = {
    val ends = parts.map(_.values).filter(_ != Values.None).map(end(_, isFirst))
    Option.when(ends.nonEmpty && ends.forall(_.isDefined))(ends.flatten)
  }

  private def end(values: Values, isFirst: Boolean): Option[Datum] = values match {
    case Values.Among(some) => Option.when(some.nonEmpty)(if (isFirst) some.min(order) else some.max(order))
    case Values.Between(bounds, orNaN) =>
      val isMin = isFirst == top.isAscending
      // NaN is greater than every other number.
      if (isMin) bounds.min else if (orNaN) None else bounds.max
    case Values.Filtered(within, _) => end(within, isFirst)
    case Values.None | Values.Any => None
  }
}

/** At least `rows` rows sort at or before `last`. */
private final case class KnownRows(last: Datum, rows: Long)
