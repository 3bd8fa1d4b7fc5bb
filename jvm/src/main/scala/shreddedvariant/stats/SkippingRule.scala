/**
 * The laws of skipping: rows may be skipped only if the predicate cannot be true for any of them.
 *
 * Code that relies on a law checks it by name. The suites switch off one law at a time, and must then find a
 * row that was wrongly skipped.
 */
package shreddedvariant.stats

sealed abstract class SkippingRule

object SkippingRule {

  /** Bounds of `typed_value` do not cover rows whose value is in `value`: such rows may match. */
  case object ResidualRows extends SkippingRule

  /**
   * In the draft layout, a row whose cell is NULL may have its value in the stored value of an outer cell. So
   * bounds decide only if no outer cell of the path stores a value, or if the file declares that it keeps to
   * its shape.
   */
  case object StoredOutside extends SkippingRule

  /** Each cast of a variant null gives NULL, except to VARIANT: residuals of variant nulls have no values. */
  case object VariantNulls extends SkippingRule

  /** A bound is used only if the cast keeps the order of the column's type and succeeds for the bound. */
  case object OrderedCasts extends SkippingRule

  /** A failed cast gives NULL: null counts decide only if no value between the bounds fails. */
  case object FailedCasts extends SkippingRule

  /** A failed strict cast is an error of the query: a predicate on the cast skips no rows that may fail. */
  case object StrictCasts extends SkippingRule

  /** Writers may omit bounds, null counts, or both: then the rows may have any value, and NULL. */
  case object MissingStatistics extends SkippingRule

  /** Bounds may exclude NaN; for Spark, NaN is greater than every other number and equal to itself. */
  case object NotANumber extends SkippingRule

  /** 0.0 and -0.0 are equal in Spark, but may be different in the order of the bounds. */
  case object NegativeZero extends SkippingRule

  /** Strings are compared by their unsigned UTF-8 bytes, and binaries by their unsigned bytes. */
  case object UnsignedBytes extends SkippingRule

  /**
   * With a collation, strings of different bytes may be equal, or may have another order. Bounds, dictionaries
   * and bloom filters describe bytes, so they are not used.
   */
  case object Collations extends SkippingRule

  /** NOT may be true for all rows whose operand may be false, and for no others: NOT of NULL is NULL. */
  case object ThreeValuedNot extends SkippingRule

  /**
   * The bounds of a list's elements hold for each element, but the null count of the elements does not say
   * which rows lack the element. Likewise, the null count of a residual does not say which rows lack the rest
   * of a path in the residual.
   */
  case object RowsThatLack extends SkippingRule

  /** A row can be in the top N only if fewer than N rows sort strictly before it. */
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

/** The laws in force: all of them, except in suites. */
final case class SkippingRules(off: Set[SkippingRule]) {
  def hold(law: SkippingRule): Boolean = !off.contains(law)
}

object SkippingRules {
  val all: SkippingRules = SkippingRules(Set.empty)
}
