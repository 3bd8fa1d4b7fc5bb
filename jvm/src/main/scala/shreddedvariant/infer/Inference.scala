/**
 * Infers the shape to shred from counts. All limits are applied here, once, by count and name.
 *
 * The frequency of a path is the number of its values ÷ the number of values of the column that are not null.
 * Variant nulls do not count as values; elements of arrays count one by one. A path without a column below it,
 * such as an object that is always empty or an array without elements, is left out.
 *
 * - `equivalence`: integers and decimals are one class, every other kind is a class of its own. A path gets the
 * most frequent class that reaches the minimum frequency and gives a column; values of other classes stay in
 * `value`. - `majority`, as in the specification of the shredding analyser: a path whose values together reach
 * the minimum frequency gets the most frequent kind; if this kind gives no column, the path has none.
 *
 * An included path has its own cell at any frequency. The objects and arrays around it have cells too, unless
 * only other kinds of values occur there. An included path is inferred like a column: frequencies below it are
 * relative to its values.
 */
package shreddedvariant.infer

import java.util.Arrays

import shreddedvariant.layout.Shape

/** `isCut`: the counts lack some paths. `leavesCut`: some paths were dropped by the limits on leaves. */
final case class Inferred(shape: Shape, isCut: Boolean, leavesCut: Boolean)

object Inference {

  /** The shape of a column that is alone in its file; Untyped if nothing is shredded. */
  def shape(counts: Counts, limits: Limits): Shape = infer(Seq(counts -> limits)).head.shape

  /** The shapes of the columns of one file, which share the limit on leaves. */
  def infer(columns: Seq[(Counts, Limits)]): Seq[Inferred] = {
    val candidates = columns.map { case (counts, limits) => new ColumnInference(counts, limits).candidate }
    val limits = columns.map(_._2)
    def isUncut(limits: Limits) = limits.policy == Policy.Majority
    val fitting = candidates.zip(limits).map { case (candidate, limit) =>
      LeafBudget.fit(Seq(candidate), limit.leavesOfAColumn, _ => isUncut(limit)).head
    }
    val ofFile = (Limits.LeavesOfAFile +: limits.map(_.leavesOfAColumn)).max
    val kept = LeafBudget.fit(fitting, ofFile, column => isUncut(limits(column)))
    for (((counts, _), column) <- columns.zipWithIndex) yield Inferred(
      kept(column).fold[Shape](Shape.Untyped)(Candidate.shape),
      counts.isCut,
      leavesCut = kept(column) != candidates(column)
    )
  }
}

private final class ColumnInference(counts: Counts, limits: Limits) {
  import Candidate._

  counts.settle()

  def candidate: Option[Candidate] = {
    val exclude = PathTree.of(limits.exclude)
    at(counts.tree, 0, counts.values, PathTree.of(limits.include).without(exclude), exclude)
  }

  private def at(
      node: Node,
      depth: Int,
      base: Long,
      include: PathTree,
      exclude: PathTree
  ): Option[Candidate] =
    if (exclude.isNamed) None
    else if (include.isNamed) typed(node, depth, node.total, include, exclude).orElse(Some(Cell))
    else typed(node, depth, base, include, exclude)

  private def typed(
      node: Node,
      depth: Int,
      base: Long,
      include: PathTree,
      exclude: PathTree
  ): Option[Candidate] = {
    def build(choice: Choice): Option[Candidate] = choice match {
      case Choice.OfScalar(scalar, values, _) => Some(Leaf(scalar, values, include.isNamed))
      case Choice.OfArray(values) if depth < limits.maxDepth || include.element.nonEmpty =>
        val element = if (node.element == null) ColumnInference.Unseen else node.element
        at(element, depth + 1, base, include.ofElement, exclude.ofElement)
          .map(Items(_, values, include.isNamed))
      case Choice.OfObject(values) if depth < limits.maxDepth || include.fields.nonEmpty =>
        val typedFields = fields(node, depth + 1, base, include, exclude)
        Option.when(typedFields.nonEmpty)(Fields(typedFields, values, include.isNamed))
      case _ => None
    }
    val choices = onTheWay(node, include) ++ byPolicy(node, base)
    choices.iterator.flatMap(build).nextOption().orElse(
      // No other choice gives a column here, so an included path gets its cell even before its first value.
      if (include.fields.nonEmpty) build(Choice.OfObject(0))
      else if (include.element.nonEmpty) build(Choice.OfArray(0))
      else None
    )
  }

  private def byPolicy(node: Node, base: Long): Seq[Choice] = limits.policy match {
    case Policy.Majority => Choice.byMajority(node).take(1)
    case Policy.Equivalence => Choice.byEquivalence(node).filter(c => isFrequent(c.values, base))
  }

  /** Objects and arrays on the way to included paths take precedence over more frequent kinds. */
  private def onTheWay(node: Node, include: PathTree): Seq[Choice] = Seq(
    Option.when(include.fields.nonEmpty)(Choice.OfObject(node.counts(Kind.Object))),
    Option.when(include.element.nonEmpty)(Choice.OfArray(node.counts(Kind.Array)))
  ).flatten.filter(_.values > 0)

  private def fields(
      node: Node,
      depth: Int,
      base: Long,
      include: PathTree,
      exclude: PathTree
  ): Seq[(String, Candidate)] = {
    val seen = node.sortedFields.flatMap(field => ColumnInference.text(field.name).map(_ -> field)).toSeq
    def build(name: String, field: Node) =
      at(field, depth, base, include.field(name), exclude.field(name)).map(name -> _)
    val (onTheWay, others) = seen
      .filterNot { case (name, _) => exclude.field(name).isNamed }
      .partition { case (name, _) => !include.field(name).isEmpty }
    // Below the maximum depth, only included paths are shredded.
    val eligible = if (depth <= limits.maxDepth) others else Nil
    val names = seen.map(_._1).toSet
    val always = onTheWay.flatMap { case (name, field) => build(name, field) } ++
      include.sortedFields.filterNot(names).flatMap(build(_, ColumnInference.Unseen))
    val remaining = math.max(0, limits.fieldsOfAnObject - always.size)
    // Both sorts are stable: ties stay in the order of names.
    val best = limits.policy match {
      case Policy.Majority =>
        eligible.filter { case (_, field) => isFrequent(field.total, base) }
          .sortBy { case (_, field) => -field.total }
          .take(remaining).flatMap { case (name, field) => build(name, field) }
      case Policy.Equivalence =>
        eligible.flatMap { case (name, field) => build(name, field) }
          .sortBy { case (_, candidate) => -candidate.values }
          .take(remaining)
    }
    (always ++ best).sortWith((a, b) => Shape.compareKeys(Shape.utf8(a._1), Shape.utf8(b._1)) < 0)
  }

  /** Both the quotient and the parsed limit are rounded to the nearest double: 10 of 100 reach 0.10. */
  private def isFrequent(values: Long, base: Long): Boolean =
    values > 0 && values.toDouble / base >= limits.minFieldFrequency
}

private object ColumnInference {

  /** A path without values. */
  val Unseen = new Node(null, PathOrder.Root)

  /** The name as text; None if it is not UTF-8, because no column can have such a name. */
  def text(name: Name): Option[String] = {
    val text = new String(name.bytes, "UTF-8")
    Option.when(Arrays.equals(Shape.utf8(text), name.bytes))(text)
  }
}
