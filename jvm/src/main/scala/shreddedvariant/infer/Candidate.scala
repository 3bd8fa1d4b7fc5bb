/** The parts of a column that inference would shred if the limits on leaves did not exist. */
package shreddedvariant.infer

import shreddedvariant.layout.{ScalarType, Shape}

/** `values` is the number of values of this type. `isForced`: a user included the path, so it has a cell. */
private[infer] sealed abstract class Candidate {
  def values: Long
  def isForced: Boolean
}

private[infer] object Candidate {

  /** An included path without a type. */
  case object Cell extends Candidate {
    override def values: Long = 0
    override def isForced: Boolean = true
  }
  final case class Leaf(scalar: ScalarType, values: Long, isForced: Boolean) extends Candidate
  final case class Items(element: Candidate, values: Long, isForced: Boolean) extends Candidate

  /** Fields are sorted by name. */
  final case class Fields(fields: Seq[(String, Candidate)], values: Long, isForced: Boolean) extends Candidate

  def shape(candidate: Candidate): Shape = candidate match {
    case Cell => Shape.Untyped
    case Leaf(scalar, _, _) => Shape.Scalar(scalar)
    case Items(element, _, _) => Shape.Array(shape(element))
    case Fields(fields, _, _) => Shape.objectOf(fields.map { case (name, field) => name -> shape(field) })
  }
}
