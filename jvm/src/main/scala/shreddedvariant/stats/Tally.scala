/** What statistics tell exactly of the values that rows give: how many there are, and their two ends. */
package shreddedvariant.stats

/** `ends` are the least and the greatest value, as the query orders them; None where statistics do not tell both. */
final case class Tally(values: Long, ends: Option[(Datum, Datum)]) {

  /** Of rows that give their values from several parts, each row from one of them. */
  def and(other: Tally): Tally =
    if (values == 0) other else if (other.values == 0) this else Tally(values + other.values, None)
}

object Tally {
  val none: Tally = Tally(0, None)
}
