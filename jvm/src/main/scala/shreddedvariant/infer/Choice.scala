/** The types that a path can get, best first, for each policy. */
package shreddedvariant.infer

import com.google.common.math.LongMath
import shreddedvariant.layout.ScalarType

/** Of two choices with equal `values`, the one with the higher `rank` is better. */
private[infer] sealed abstract class Choice {
  def values: Long
  def rank: Int
}

private[infer] object Choice {
  final case class OfScalar(scalar: ScalarType, values: Long, rank: Int) extends Choice
  final case class OfArray(values: Long) extends Choice { override def rank: Int = Kind.Array }
  final case class OfObject(values: Long) extends Choice { override def rank: Int = Kind.Object }

  /** All integers form one choice and all decimals another; each gets the widest type that occurs. */
  def byMajority(node: Node): Seq[Choice] =
    ranked(others(node) ++ integers(node, widest = false) ++ decimals(node, withIntegers = false))

  /** All exact numerics form one class; every other kind is a class of its own. */
  def byEquivalence(node: Node): Seq[Choice] = {
    val exact =
      if (count(node, Kind.isDecimal) > 0) decimals(node, withIntegers = true)
      else integers(node, widest = true)
    ranked(others(node) ++ exact)
  }

  private def ranked(choices: Seq[Choice]) = choices.sortBy(c => (-c.values, -c.rank))

  private def others(node: Node): Seq[Choice] =
    kinds(node, kind => !Kind.isInteger(kind) && !Kind.isDecimal(kind)).map {
      case Kind.Array => OfArray(node.counts(Kind.Array))
      case Kind.Object => OfObject(node.counts(Kind.Object))
      case kind => OfScalar(Kind.scalar(kind), node.counts(kind), kind)
    }

  private def integers(node: Node, widest: Boolean): Seq[Choice] =
    kinds(node, Kind.isInteger).lastOption.toSeq.map { kind =>
      val scalar = if (widest) ScalarType.Int64 else Kind.scalar(kind)
      OfScalar(scalar, count(node, Kind.isInteger), kind)
    }

  /** One decimal for all digits on both sides of the point; the digits before the point take precedence. */
  private def decimals(node: Node, withIntegers: Boolean): Seq[Choice] =
    kinds(node, Kind.isDecimal).lastOption.toSeq.map { kind =>
      val integerCount = if (withIntegers) count(node, Kind.isInteger) else 0L
      val before =
        math.max(node.integerDigits, if (integerCount > 0) Scalars.digits(node.largest) else 0)
      val max = ScalarType.MaxPrecision
      val decimal =
        ScalarType.Dec(math.min(before + node.scale, max), math.min(node.scale, math.max(0, max - before)))
      OfScalar(decimal, LongMath.saturatedAdd(count(node, Kind.isDecimal), integerCount), kind)
    }

  private def kinds(node: Node, includes: Int => Boolean): Seq[Int] =
    (0 until Kind.Count).filter(kind => includes(kind) && node.counts(kind) > 0)

  private def count(node: Node, includes: Int => Boolean): Long =
    kinds(node, includes).foldLeft(0L)((sum, kind) => LongMath.saturatedAdd(sum, node.counts(kind)))
}
