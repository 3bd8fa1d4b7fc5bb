/** The parts that give a path its values, where the columns of a file have a cell for it or stored values on the way. */
package shreddedvariant.stats

import org.apache.spark.sql.types.VariantType
import shreddedvariant.layout.{ScalarType, Wanted}

/**
 * `scalar` is the typed leaf, if that is the cell's one typed part; `isComplex` says that there are others, of which no
 * one leaf tells. `value` are the cell's stored values. `outer` are those further out that may hold the path where the
 * cell is missing, which only the draft layout lets them.
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
    // A path is present where it is not NULL as a variant.
    val isVariant = column.types.head == VariantType || isPresence(column)
    def stored(leaf: Seq[String], isAlone: Boolean) =
      ValueSource.Residual(leaf, isVariant, isAlone, mayLack, isDraft, laws)
    val typed = scalar.map { case (scalar, leaf) =>
      if (isVariant) Some(ValueSource.Nulls(leaf, mayLack, laws))
      else ValueSource.typed(scalar, leaf, column, mayLack, laws)
    }
    val own = typed match {
      // An element is never missing: where its columns are NULL it is a variant null.
      case _ if isComplex || isVariant && isElement => Seq(ValueSource.Unknown)
      case Some(None) => Seq(ValueSource.Unknown)
      case Some(Some(typed)) => typed +: value.map(stored(_, isAlone = false)).toSeq
      case None => Seq(value.fold[ValueSource](ValueSource.Absent)(stored(_, isAlone = true)))
    }
    own ++ (if (laws.hold(SkippingRule.StoredOutside)) outer.map(stored(_, isAlone = false)) else Nil)
  }

  private def isPresence(column: Column) = column.origin match {
    case Origin.Path(path) => path.wanted == Wanted.Presence
    case _: Origin.Plain => false
  }
}
