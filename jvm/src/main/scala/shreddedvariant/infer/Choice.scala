/** What a path can be shredded as, best first, by each policy. */
package shreddedvariant.infer

import shreddedvariant.layout.ScalarType

/** `rank` decides between choices with as many `values`: the higher one wins. */
private[infer] sealed abstract class Choice {
  def values: Long
  def rank: Int
}

private[infer] object Choice {
  final case class OfScalar(scalar: ScalarType, values: Long, rank: Int) extends Choice
  final case class OfArray(values: Long) extends Choice { override def rank: Int = Kind.Array }
  final case class OfObject(values: Long) extends Choice { override def rank: Int = Kind.Object }

  /** Integers are one family and decimals another; each has the widest type that occurs. */
  def byMajority(node: Node): Seq[Choice] =
    ranked(others(node) ++ integers(node, widest = false) ++ decimals(node, withIntegers = false))

  /** All exact numerics are one class, every other kind is its own. */
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

  /** One decimal with room for the digits on both sides of the point; the digits before it go first. */
  private def decimals(node: Node, withIntegers: Boolean): Seq[Choice] =
    kinds(node, Kind.isDecimal).lastOption.toSeq.map { kind =>
      val integerCount = if (withIntegers) count(node, Kind.isInteger) else 0L
      val before =
        math.max(node.integerDigits, if (integerCount > 0) Scalars.digits(node.largest) else 0)
      val max = ScalarType.MaxPrecision
      val decimal =
        ScalarType.Dec(math.min(before + node.scale, max), math.min(node.scale, math.max(0, max - before)))
      OfScalar(decimal, Node.plus(count(node, Kind.isDecimal), integerCount), kind)
    }

  private def kinds(node: Node, isOne: Int => Boolean): Seq[Int] =
    (0 until Kind.Count).filter(kind => isOne(kind) && node.counts(kind) > 0)

  private def count(node: Node, isOne: Int => Boolean): Long =
    kinds(node, isOne).foldLeft(0L)((sum, kind) => Node.plus(sum, node.counts(kind)))
}
