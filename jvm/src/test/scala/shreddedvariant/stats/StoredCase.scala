/** A path in the rows of a file, a filter on it, and the statistics of the writer of the file. */
package shreddedvariant.stats

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.DataType
import shreddedvariant.Value
import shreddedvariant.layout.ScalarType

/** The contents of the columns of a path in one row or element. */
sealed trait Stored
object Stored {
  final case class Typed(value: Value) extends Stored
  final case class Residual(value: Value) extends Stored
  case object Missing extends Stored

  /** In the draft layout: the columns of the path are NULL, and an outer cell stores the value. */
  final case class Outside(value: Value) extends Stored
}

/** `at` is the index of a path into an array; without an index, each row is one cell. */
final case class Case(
    scalar: ScalarType,
    rows: Seq[Seq[Stored]],
    at: Option[Int],
    target: DataType,
    filter: Expression,
    isStrict: Boolean,
    isDraft: Boolean,
    habits: Habits
)

/** The statistics that a writer writes; `cut` is the maximum length of its bounds. */
final case class Habits(
    bounds: Boolean,
    nulls: Boolean,
    dropsBoundsAtNaN: Boolean,
    dictionary: Boolean,
    cut: Option[Int]
)
