/** What inference would shred, before it is known how much of it fits. */
package shreddedvariant.infer

import shreddedvariant.layout.{ScalarType, Shape}

/** `values` is how many values it stands for; what `isForced`, since a user included it, has a cell in any case. */
private[infer] sealed abstract class Candidate {
  def values: Long
  def isForced: Boolean
}

private[infer] object Candidate {

  /** An included path of which nothing can be typed. */
  case object Cell extends Candidate {
    override def values: Long = 0
    override def isForced: Boolean = true
  }
  final case class LeafColumnReader(scalar: ScalarType, values: Long, isForced: Boolean) extends Candidate
  final case class Items(element: Candidate, values: Long, isForced: Boolean) extends Candidate

  /** Fields are in the order of their names. */
  final case class Fields(fields: Seq[(String, Candidate)], values: Long, isForced: Boolean) extends Candidate

  def shape(candidate: Candidate): Shape = candidate match {
    case Cell => Shape.Untyped
    case LeafColumnReader(scalar, _, _) => Shape.Scalar(scalar)
    case Items(element, _, _) => Shape.Array(shape(element))
    case Fields(fields, _, _) => Shape.objectOf(fields.map { case (name, field) => name -> shape(field) })
  }
}
