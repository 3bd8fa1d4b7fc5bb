/** What inference may make of counts: the policy, the limits and the paths that a user named. */
package shreddedvariant.infer

import shreddedvariant.layout.PathStep

sealed abstract class Policy(val name: String) extends Serializable

object Policy {

  /** Widens within the exact numerics and types a path by its most frequent class, if that is frequent enough. */
  case object Equivalence extends Policy("equivalence")

  /** The shredding analyser of the specification. */
  case object Majority extends Policy("majority")

  val all: Seq[Policy] = Seq(Equivalence, Majority)
}

/**
 * `include` and `exclude` hold paths from the root; the number of an array index does not matter, since all elements have
 * one shape. What is excluded stays so if it is included as well.
 */
final case class Limits(
    policy: Policy = Policy.Equivalence,
    minFieldFrequency: Double = Limits.MinFieldFrequency,
    maxFields: Int = Limits.MaxFields,
    maxDepth: Int = Limits.MaxDepth,
    maxIntermediateFields: Int = Limits.MaxIntermediateFields,
    include: Seq[Seq[PathStep]] = Nil,
    exclude: Seq[Seq[PathStep]] = Nil
) {

  /** Fields of one object: both limits take the most frequent ones, so the smaller says how many. */
  def fieldsOfAnObject: Int = math.min(maxFields, maxIntermediateFields)

  /** Parquet leaves that the equivalence policy gives one column, which one wide object may use up alone. */
  def leavesOfAColumn: Int = math.max(Limits.LeavesOfAColumn, 2 * maxFields + 2)
}

object Limits {
  final val MinFieldFrequency = 0.10
  final val MaxFields = 300
  final val MaxDepth = 50
  final val MaxIntermediateFields = 1000

  final val LeavesOfAColumn = 1000
  final val LeavesOfAFile = 2000
}
