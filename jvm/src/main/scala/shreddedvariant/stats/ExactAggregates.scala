/** Exact aggregates from statistics: the number of values, and their minimum and maximum. */
package shreddedvariant.stats

/** `ends` are the minimum and maximum in the order of the query; None unless statistics give both exactly. */
final case class ExactAggregates(values: Long, ends: Option[(Datum, Datum)]) {

  /** The aggregates of two sources of a column, if each row has its value from one of them. */
  def and(other: ExactAggregates): ExactAggregates =
    if (values == 0) other else if (other.values == 0) this else ExactAggregates(values + other.values, None)
}

object ExactAggregates {
  val none: ExactAggregates = ExactAggregates(0, None)
}
