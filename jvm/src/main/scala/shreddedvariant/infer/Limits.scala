/** The settings of inference: the policy, the limits, and the paths that a user includes or excludes. */
package shreddedvariant.infer

import shreddedvariant.layout.PathStep

sealed abstract class Policy(val name: String) extends Serializable

object Policy {

  /** Widens within the exact numerics; types a path by its most frequent class if this is frequent enough. */
  case object Equivalence extends Policy("equivalence")

  /** The shredding analyser of the specification. */
  case object Majority extends Policy("majority")

  val all: Seq[Policy] = Seq(Equivalence, Majority)
}

/**
 * `include` and `exclude` are paths from the root; the number of an array index is ignored, because all
 * elements have one shape. A path that is both excluded and included is excluded.
 */
final case class Limits(
    policy: Policy = Policy.Equivalence,
    minFieldFrequency: Double = 0.10,
    maxFields: Int = 300,
    maxDepth: Int = 50,
    maxIntermediateFields: Int = 1000,
    include: Seq[Seq[PathStep]] = Nil,
    exclude: Seq[Seq[PathStep]] = Nil
) {

  /**
   * The maximum number of fields of an object. Both limits keep the most frequent: the smaller limit applies.
   */
  def fieldsOfAnObject: Int = math.min(maxFields, maxIntermediateFields)

  /** The maximum number of Parquet leaves of a column in `equivalence`; one wide object may use all of them. */
  def leavesOfAColumn: Int = math.max(Limits.LeavesOfAColumn, 2 * maxFields + 2)
}

object Limits {
  final val LeavesOfAColumn = 1000
  final val LeavesOfAFile = 2000
}
