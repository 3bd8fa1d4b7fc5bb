/** The sources of a path's values in a file: the leaves of its cell, and the stored values of outer cells. */
package shreddedvariant.stats

import org.apache.spark.sql.types.VariantType
import shreddedvariant.layout.{PathResult, ScalarType}

/**
 * `scalar` is the typed leaf, if it is the only typed part of the cell. `isComplex` means that the cell has
 * other typed parts, which no single leaf describes. `value` has the stored values of the cell. `outer` has the
 * stored values of outer cells that may contain the path if the cell is missing; only the draft layout allows
 * this.
 */
final case class CellSources(
    scalar: Option[(ScalarType, Seq[String])],
    isComplex: Boolean,
    value: Option[Seq[String]],
    outer: Seq[Seq[String]],
    isElement: Boolean,
    mayLack: Boolean,
    isDraft: Boolean
) {
  def of(column: Column, laws: SkippingRules): Seq[ValueSource] = {
    // A path is present if its value as a variant is not NULL.
    val isVariant = column.types.head == VariantType || isPresence(column)
    def stored(leaf: Seq[String], isAlone: Boolean) =
      ValueSource.Residual(leaf, isVariant, isAlone, mayLack, isDraft, laws)
    val typed = scalar.map { case (scalar, leaf) =>
      if (isVariant) Some(ValueSource.Nulls(leaf, mayLack, laws))
      else ValueSource.typed(scalar, leaf, column, mayLack, laws)
    }
    val own = typed match {
      // An element is never missing: if all its columns are NULL, it is a variant null.
      case _ if isComplex || isVariant && isElement => Seq(ValueSource.Unknown)
      case Some(None) => Seq(ValueSource.Unknown)
      case Some(Some(typed)) => typed +: value.map(stored(_, isAlone = false)).toSeq
      case None => Seq(value.fold[ValueSource](ValueSource.Absent)(stored(_, isAlone = true)))
    }
    own ++ (if (laws.hold(SkippingRule.StoredOutside)) outer.map(stored(_, isAlone = false)) else Nil)
  }

  private def isPresence(column: Column) = column.origin match {
    case Origin.Path(path) => path.wanted == PathResult.Presence
    case _: Origin.Plain => false
  }
}
