/** What a column may give in some rows, as far as statistics tell: never less than there is. */
package shreddedvariant.stats

final case class ValueDomain(values: Values, orNull: Boolean)

object ValueDomain {
  val nothing: ValueDomain = ValueDomain(Values.None, orNull = false)
  val onlyNull: ValueDomain = ValueDomain(Values.None, orNull = true)
  val anything: ValueDomain = ValueDomain(Values.Any, orNull = true)
}

sealed trait Values

object Values {
  case object None extends Values
  case object Any extends Values
  final case class Among(values: Seq[Datum]) extends Values

  /** All between two bounds, and beside them NaN, if `orNaN`. */
  final case class Between(bounds: Bounds, orNaN: Boolean) extends Values

  /** Of the values of `within` those that a bloom filter does not exclude. */
  final case class Filtered(within: Values, mayHold: Datum => Boolean) extends Values
}

/** The least and the greatest value of some rows, or less and more than these; an absent one bounds nothing. */
final case class Bounds(min: Option[Datum], max: Option[Datum]) {
  def contain(value: Datum, order: DatumOrder): Boolean =
    min.forall(order.lteq(_, value)) && max.forall(order.gteq(_, value))

  /** All rows have this one value. */
  def areJust(value: Datum, order: DatumOrder): Boolean =
    min.exists(order.equiv(_, value)) && max.exists(order.equiv(_, value))

  def hasNaN: Boolean = (min ++ max).exists {
    case Datum.Floating(number) => number.isNaN
    case _ => false
  }
}

object Bounds {
  val none: Bounds = Bounds(None, None)
}
