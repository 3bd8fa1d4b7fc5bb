/**
 * Counts → the shape that is worth shredding. All limits apply here, once, by count and name.
 *
 * The frequency of a path is the number of its values ÷ the values of the whole column that are not null. Variant nulls
 * are no values; elements of arrays count one by one. What has no column below it, such as objects that are always empty
 * and arrays without elements, is left out.
 *
 *  - `equivalence`: integers and decimals are one class, all other kinds are classes of their own. A path gets the most
 *    frequent class that reaches the frequency and that gives a column; values of other classes stay in `value`.
 *  - `majority`, as the specification of the shredding analyser has it: a path that reaches the frequency with all its
 *    values gets the most frequent kind, be it what it may; if that gives no column, there is none.
 *
 * An included path has a cell of its own whatever its frequency, as have the objects and arrays around it where there are
 * any. It is inferred as if it were a column: what is below it is measured by its own values.
 */
package shreddedvariant.infer

import java.util.Arrays

import shreddedvariant.layout.Shape

/** `isCut`: the counts do not know all paths. `leavesCut`: what was worth it, but did not fit. */
final case class Inferred(shape: Shape, isCut: Boolean, leavesCut: Boolean)

object Inference {

  /** The shape of one column that is alone in its file; Untyped where nothing is worth it. */
  def shape(counts: Counts, limits: Limits): Shape = infer(Seq(counts -> limits)).head.shape

  /** The shapes of the columns of one file, which share its leaves. */
  def infer(columns: Seq[(Counts, Limits)]): Seq[Inferred] = {
    val wanted = columns.map { case (counts, limits) => new ColumnInference(counts, limits).candidate }
    val limits = columns.map(_._2)
    def isUncut(limits: Limits) = limits.policy == Policy.Majority
    val fitting = wanted.zip(limits).map { case (candidate, own) =>
      LeafBudget.fit(Seq(candidate), own.leavesOfAColumn, _ => isUncut(own)).head
    }
    val ofFile = (Limits.LeavesOfAFile +: limits.map(_.leavesOfAColumn)).max
    val kept = LeafBudget.fit(fitting, ofFile, column => isUncut(limits(column)))
    for (((counts, _), column) <- columns.zipWithIndex) yield Inferred(
      kept(column).fold[Shape](Shape.Untyped)(Candidate.shape),
      counts.isCut,
      leavesCut = kept(column) != wanted(column)
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
      case Choice.OfScalar(scalar, values, _) => Some(LeafColumnReader(scalar, values, include.isNamed))
      case Choice.OfArray(values) if depth < limits.maxDepth || include.element.nonEmpty =>
        val element = if (node.element == null) ColumnInference.Unseen else node.element
        at(element, depth + 1, base, include.ofElement, exclude.ofElement)
          .map(Items(_, values, include.isNamed))
      case Choice.OfObject(values) if depth < limits.maxDepth || include.fields.nonEmpty =>
        val some = fields(node, depth + 1, base, include, exclude)
        Option.when(some.nonEmpty)(Fields(some, values, include.isNamed))
      case _ => None
    }
    val choices = onTheWay(node, include) ++ byPolicy(node, base)
    choices.iterator.flatMap(build).nextOption().orElse(
      // Nothing was seen that could stand in the way of an included path: it gets its place before its first value.
      if (include.fields.nonEmpty) build(Choice.OfObject(0))
      else if (include.element.nonEmpty) build(Choice.OfArray(0))
      else None
    )
  }

  private def byPolicy(node: Node, base: Long): Seq[Choice] = limits.policy match {
    case Policy.Majority => Choice.byMajority(node).take(1)
    case Policy.Equivalence => Choice.byEquivalence(node).filter(c => isFrequent(c.values, base))
  }

  /** Objects and arrays on the way to included paths come before what is more frequent there. */
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
    // Deeper than the limit only included paths go.
    val more = if (depth <= limits.maxDepth) others else Nil
    val names = seen.map(_._1).toSet
    val always = onTheWay.flatMap { case (name, field) => build(name, field) } ++
      include.sortedFields.filterNot(names).flatMap(build(_, ColumnInference.Unseen))
    val room = math.max(0, limits.fieldsOfAnObject - always.size)
    // Both sorts are stable: ties stay in the order of names.
    val best = limits.policy match {
      case Policy.Majority =>
        more.filter { case (_, field) => isFrequent(field.total, base) }
          .sortBy { case (_, field) => -field.total }
          .take(room).flatMap { case (name, field) => build(name, field) }
      case Policy.Equivalence =>
        more.flatMap { case (name, field) => build(name, field) }
          .sortBy { case (_, candidate) => -candidate.values }
          .take(room)
    }
    (always ++ best).sortWith((a, b) => Shape.compareKeys(Shape.utf8(a._1), Shape.utf8(b._1)) < 0)
  }

  /** Division rounds to the nearest number, and so does the limit as it is read: 10 of 100 are 0.10. */
  private def isFrequent(values: Long, base: Long): Boolean =
    values > 0 && values.toDouble / base >= limits.minFieldFrequency
}

private object ColumnInference {

  /** A path without values. */
  val Unseen = new Node(null, PathOrder.Root)

  /** None for bytes that are no UTF-8: no column can have such a name. */
  def text(name: Name): Option[String] = {
    val text = new String(name.bytes, "UTF-8")
    Option.when(Arrays.equals(Shape.utf8(text), name.bytes))(text)
  }
}
