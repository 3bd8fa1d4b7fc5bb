/** What statistics tell exactly of the values that rows give: how many there are, and their two ends. */
package shreddedvariant.stats

/** `ends` are the least and the greatest value, as the query orders them; None where statistics do not tell both. */
final case class ExactAggregates(values: Long, ends: Option[(Datum, Datum)]) {

  /** Of rows that give their values from several parts, each row from one of them. */
  def and(other: ExactAggregates): ExactAggregates =
    if (values == 0) other else if (other.values == 0) this else ExactAggregates(values + other.values, None)
}

object ExactAggregates {
  val none: ExactAggregates = ExactAggregates(0, None)
}
