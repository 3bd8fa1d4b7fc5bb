/** Which rows may be among the first ones of an order, by what statistics tell of groups of rows. */
package shreddedvariant.stats

import scala.collection.mutable

/** The first `rows` in the order of a column. */
final case class Top(column: Column, isAscending: Boolean, nullsFirst: Boolean, rows: Long) {
  def text: String =
    s"$rows by ${column.text} ${if (isAscending) "ASC" else "DESC"} NULLS ${if (nullsFirst) "FIRST"
      else "LAST"}"
}

/**
 * Some rows, no row in two of them: how many there are, how many have a value for certain, and what these may be, by each
 * of the parts that give the column its values.
 */
final case class RankedRows(rows: Long, values: Long, parts: Seq[ValueDomain]) {
  def orNull: Boolean = parts.exists(_.orNull)
}

/**
 * Law: rows may be left out only if `top.rows` others stand strictly before each of them (`SkippingRule.StrictlyBefore`). Rows
 * that are equal in this column may be told apart by the next one of the order, and a row that is left out stands behind
 * those others wherever they are read, even if they are left out in turn for still others before them.
 */
final class FirstRows(top: Top, laws: SkippingRules = SkippingRules.all) {
  private val order: Ordering[Datum] = {
    val ascending = new DatumOrder(laws)
    if (top.isAscending) ascending else ascending.reverse
  }

  private val known = mutable.Map.empty[Any, Seq[KnownRows]]

  /**
   * Of so many rows as are asked for, the last one stands here or before; None while fewer are known. What was once known
   * of rows stays true, also if less is told of them later: bounds of pages may be cut where those of a footer are not.
   */
  private var bound: Option[Datum] = None

  /** Takes note of rows, in place of those that were noted under this name before. */
  def note(name: Any, rows: Seq[RankedRows]): Unit = {
    val found = rows.flatMap(r => last(r.parts).map(KnownRows(_, surely(r)))).filter(_.rows > 0)
    known(name) = found.filter(k => bound.forall(order.lteq(k.last, _)))
    bound = (bound ++ reached).minOption(order)
  }

  def mayHold(rows: RankedRows): Boolean =
    bound.isEmpty || top.nullsFirst && rows.orNull || (first(rows.parts) match {
      case Some(first) if laws.hold(SkippingRule.StrictlyBefore) => order.lteq(first, bound.get)
      case Some(first) => order.lt(first, bound.get)
      // Nothing is known of the values, or there is none: NULL then stands behind those that are.
      case None => rows.parts.exists(_.values != Values.None)
    })

  /** NULL stands before every value, or behind, where it does not count. */
  private def surely(rows: RankedRows) = if (top.nullsFirst) rows.rows else rows.values

  private def reached: Option[Datum] = {
    val sorted = known.valuesIterator.flatten.toSeq.sortBy(_.last)(order)
    val sums = sorted.iterator.scanLeft(0L)(_ + _.rows).drop(1)
    sorted.iterator.zip(sums).collectFirst { case (k, sum) if sum >= top.rows => k.last }
  }

  /** Where the values of rows begin in the order at the earliest; None where that is not known. */
  private def first(parts: Seq[ValueDomain]): Option[Datum] = ends(parts, isFirst = true).map(_.min(order))
  private def last(parts: Seq[ValueDomain]): Option[Datum] = ends(parts, isFirst = false).map(_.max(order))

  private def ends(parts: Seq[ValueDomain], isFirst: Boolean): Option[Seq[Datum]] = {
    val found = parts.map(_.values).filter(_ != Values.None).map(end(_, isFirst))
    Option.when(found.nonEmpty && found.forall(_.isDefined))(found.flatten)
  }

  private def end(values: Values, isFirst: Boolean): Option[Datum] = values match {
    case Values.Among(some) => Option.when(some.nonEmpty)(if (isFirst) some.min(order) else some.max(order))
    case Values.Between(bounds, orNaN) =>
      val isLeast = isFirst == top.isAscending
      // NaN is greater than every other number.
      if (isLeast) bounds.min else if (orNaN) None else bounds.max
    case Values.Filtered(within, _) => end(within, isFirst)
    case Values.None | Values.Any => None
  }
}

/** How many rows stand at `last` or before it. */
private final case class KnownRows(last: Datum, rows: Long)
