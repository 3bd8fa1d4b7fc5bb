/** A predicate on one column: a comparison with constants, or a test for NULL or NaN. */
package shreddedvariant.stats

/** A constant, and its text in EXPLAIN. */
final case class Constant(datum: Datum, text: String)

sealed abstract class ColumnPredicate extends Serializable {

  /** The result for a value; None is NULL. */
  def of(value: Datum, order: DatumOrder): Option[Boolean]

  /** The result for NULL. */
  def ofNull: Option[Boolean] = None

  /** Whether a number, string or binary within the bounds may give `truth`; an absent bound is unbounded. */
  def ofRange(truth: Boolean, range: Bounds, order: DatumOrder): Boolean

  /** Whether there is a value that gives `truth`. */
  def ofAny(truth: Boolean): Boolean = true

  /** The only values for which the result is true, if the predicate tests for single values. */
  def wanted: Option[Seq[Datum]] = None

  def text(column: String): String
  def negated(column: String): String = s"NOT ${text(column)}"

  final def mayBe(truth: Boolean, possible: ValueDomain, order: DatumOrder): Boolean =
    possible.orNull && ofNull.contains(truth) || mayBe(truth, possible.values, order)

  private def mayBe(truth: Boolean, values: Values, order: DatumOrder): Boolean = values match {
    case Values.None => false
    case Values.Any => ofAny(truth)
    case Values.Among(some) => some.exists(of(_, order).contains(truth))
    case Values.Between(bounds, orNaN) =>
      ofRange(truth, bounds, order) || orNaN && of(Datum.notANumber, order).contains(truth)
    case Values.Filtered(within, mayHold) =>
      mayBe(truth, within, order) && !(truth && wanted.exists(!_.exists(mayHold)))
  }
}

object ColumnPredicate {
  final case class Equal(to: Constant, nullSafe: Boolean = false) extends ColumnPredicate {
    override def of(value: Datum, order: DatumOrder): Option[Boolean] = Some(order.equiv(value, to.datum))
    override def ofNull: Option[Boolean] = Option.when(nullSafe)(false)
    override def ofRange(truth: Boolean, range: Bounds, order: DatumOrder): Boolean =
      if (truth) range.contain(to.datum, order) else !range.areJust(to.datum, order)
    override def wanted: Option[Seq[Datum]] = Some(Seq(to.datum))
    override def text(column: String): String = s"$column ${if (nullSafe) "<=>" else "="} ${to.text}"
    override def negated(column: String): String =
      if (nullSafe) super.negated(column) else s"$column <> ${to.text}"
  }

  /** With `orEqual`, the constant itself gives true. */
  final case class Less(than: Constant, orEqual: Boolean = false) extends ColumnPredicate {
    private def isLess(value: Datum, order: DatumOrder) =
      if (orEqual) order.lteq(value, than.datum) else order.lt(value, than.datum)
    override def of(value: Datum, order: DatumOrder): Option[Boolean] = Some(isLess(value, order))
    override def ofRange(truth: Boolean, range: Bounds, order: DatumOrder): Boolean =
      if (truth) range.min.forall(isLess(_, order)) else range.max.forall(!isLess(_, order))
    override def text(column: String): String = s"$column ${if (orEqual) "<=" else "<"} ${than.text}"
    override def negated(column: String): String = s"$column ${if (orEqual) ">" else ">="} ${than.text}"
  }

  /** If the list has a NULL, a value that is not in the list gives NULL. The list is sorted. */
  final case class In(list: IndexedSeq[Constant], orNull: Boolean) extends ColumnPredicate {

    /** The first constant of the list that is not less than `value`. */
    private def notLess(value: Datum, order: DatumOrder): Option[Datum] = {
      var (low, high) = (0, list.size)
      while (low < high) {
        val middle = (low + high) >>> 1
        if (order.lt(list(middle).datum, value)) low = middle + 1 else high = middle
      }
      list.lift(low).map(_.datum)
    }
    private def isIn(value: Datum, order: DatumOrder) = notLess(value, order).exists(order.equiv(_, value))
    override def of(value: Datum, order: DatumOrder): Option[Boolean] =
      if (isIn(value, order)) Some(true) else Option.when(!orNull)(false)
    override def ofRange(truth: Boolean, range: Bounds, order: DatumOrder): Boolean =
      if (truth) {
        val first = range.min.fold(list.headOption.map(_.datum))(notLess(_, order))
        first.exists(value => range.max.forall(order.gteq(_, value)))
      } else !orNull && !range.min.exists(value => isIn(value, order) && range.areJust(value, order))
    override def ofAny(truth: Boolean): Boolean = truth || !orNull
    override def wanted: Option[Seq[Datum]] = Some(list.map(_.datum))
    override def text(column: String): String = s"$column IN ($inside)"
    override def negated(column: String): String = s"$column NOT IN ($inside)"
    private def inside = {
      val shown = list.take(10).map(_.text) ++ Option.when(orNull)("NULL")
      shown.mkString(", ") + (if (list.size > 10) s", … ${list.size - 10} more" else "")
    }
  }

  final case class StartsWith(prefix: Constant) extends ColumnPredicate {
    private val bytes = prefix.datum match {
      case Datum.Bytes(bytes) => bytes
      case other => throw new IllegalArgumentException(s"$other is not a string")
    }
    private def head(value: Datum): Datum = value match {
      case Datum.Bytes(all) => Datum.Bytes(all.take(bytes.length))
      case other => other
    }
    override def of(value: Datum, order: DatumOrder): Option[Boolean] =
      Some(order.equiv(head(value), prefix.datum))
    // All strings between two strings with a common prefix have this prefix.
    override def ofRange(truth: Boolean, range: Bounds, order: DatumOrder): Boolean = {
      val heads = Bounds(range.min.map(head), range.max.map(head))
      if (truth) heads.contain(prefix.datum, order) else !heads.areJust(prefix.datum, order)
    }
    override def text(column: String): String = s"startswith($column, ${prefix.text})"
  }

  case object IsNull extends ColumnPredicate {
    override def of(value: Datum, order: DatumOrder): Option[Boolean] = Some(false)
    override def ofNull: Option[Boolean] = Some(true)
    override def ofRange(truth: Boolean, range: Bounds, order: DatumOrder): Boolean = !truth
    override def ofAny(truth: Boolean): Boolean = !truth
    override def text(column: String): String = s"$column IS NULL"
    override def negated(column: String): String = s"$column IS NOT NULL"
  }

  /** False for NULL, as in Spark. */
  case object IsNaN extends ColumnPredicate {
    override def of(value: Datum, order: DatumOrder): Option[Boolean] = value match {
      case Datum.Floating(number) => Some(number.isNaN)
      case _ => Some(false)
    }
    override def ofNull: Option[Boolean] = Some(false)
    override def ofRange(truth: Boolean, range: Bounds, order: DatumOrder): Boolean = !truth
    override def text(column: String): String = s"isnan($column)"
  }
}
