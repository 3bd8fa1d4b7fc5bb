/**
 * The laws of skipping: rows may be left out only if a predicate can be true of none of them.
 *
 * Each is asked for by name where code relies on it. The suites switch one off at a time and must find a row that was
 * skipped and should not have been.
 */
package shreddedvariant.stats

sealed abstract class SkippingRule

object SkippingRule {

  /** Bounds of `typed_value` say nothing of rows whose value is in `value`: while there are any, they may match. */
  case object ResidualRows extends SkippingRule

  /**
   * In the draft layout a row whose own columns are NULL has its value in what is stored around them, if that holds the
   * path: bounds decide only where nothing is stored in any cell on the way, or the file's writer is known to keep to
   * its shape.
   */
  case object StoredOutside extends SkippingRule

  /** A variant null is NULL to every cast but that to VARIANT: residuals that hold nothing else are no values there. */
  case object VariantNulls extends SkippingRule

  /** Bounds count only where the cast keeps the order of the column's type, and as far as they survive it. */
  case object OrderedCasts extends SkippingRule

  /** A cast that fails gives NULL: null counts decide only if every value between the bounds can be cast. */
  case object FailedCasts extends SkippingRule

  /** A strict cast that fails is the query's error: rows that may bring it are not skipped by that cast's own test. */
  case object StrictCasts extends SkippingRule

  /** Writers leave out bounds, counts, or both: then there may be any value, and NULL. */
  case object MissingStatistics extends SkippingRule

  /** Writers may leave NaN out of bounds; Spark takes it as greater than every other number and as equal to itself. */
  case object NotANumber extends SkippingRule

  /** 0.0 and -0.0 are equal to Spark, whatever the bounds' order says. */
  case object NegativeZero extends SkippingRule

  /** Strings compare by their bytes in UTF-8, unsigned; so do binaries. */
  case object UnsignedBytes extends SkippingRule

  /**
   * A collation takes strings for equal that are other bytes, or puts them in another order: bounds, dictionaries and
   * bloom filters, which know bytes, say nothing to it.
   */
  case object Collations extends SkippingRule

  /** NOT is true where its operand can be false: neither where that is not true nor where it is NULL. */
  case object ThreeValuedNot extends SkippingRule

  /**
   * Bounds of a list's elements hold for each of them, but its nulls do not tell which rows lack one; nor do those of a
   * residual in which a path goes on.
   */
  case object RowsThatLack extends SkippingRule

  /** Of the first rows of an order are only those that have fewer than so many others strictly before them. */
  case object StrictlyBefore extends SkippingRule

  val all: Seq[SkippingRule] = Seq(
    ResidualRows,
    StoredOutside,
    VariantNulls,
    OrderedCasts,
    FailedCasts,
    StrictCasts,
    MissingStatistics,
    NotANumber,
    NegativeZero,
    UnsignedBytes,
    Collations,
    ThreeValuedNot,
    RowsThatLack,
    StrictlyBefore
  )
}

/** The laws that hold: all of them, but in suites. */
final case class SkippingRules(off: Set[SkippingRule]) {
  def hold(law: SkippingRule): Boolean = !off.contains(law)
}

object SkippingRules {
  val all: SkippingRules = SkippingRules(Set.empty)
}
