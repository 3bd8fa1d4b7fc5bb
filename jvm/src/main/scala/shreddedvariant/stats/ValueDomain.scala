/** The possible values of a column in some rows, according to statistics: a superset of the real values. */
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

  /** All values between two bounds, and also NaN if `orNaN`. */
  final case class Between(bounds: Bounds, orNaN: Boolean) extends Values

  /** The values of `within` that a bloom filter does not exclude. */
  final case class Filtered(within: Values, mayHold: Datum => Boolean) extends Values
}

/** A lower and an upper bound of the values in some rows, not always exact; an absent bound is unbounded. */
final case class Bounds(min: Option[Datum], max: Option[Datum]) {
  def contain(value: Datum, order: DatumOrder): Boolean =
    min.forall(order.lteq(_, value)) && max.forall(order.gteq(_, value))

  /** Whether both bounds are `value`, so that no row has another value. */
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
