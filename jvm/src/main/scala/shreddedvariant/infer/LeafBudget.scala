/**
 * Fits candidates into a number of Parquet leaves: the most frequent paths first, ties in the order of columns
 * and names. The selection ends at the first path that does not fit, so the kept paths do not depend on the
 * cost of rarer paths.
 *
 * {{{
 *   v.metadata, v.value                                        2 for each column
 *   v.typed_value.user.value                                   1 for each cell on the way to a kept path
 *   v.typed_value.user.typed_value.id.value, .typed_value      2 for a path with a type
 * }}}
 */
package shreddedvariant.infer

private[infer] object LeafBudget {

  /** The kept part of each candidate, if any. Forced candidates and all of `uncut` columns are always kept. */
  def fit(columns: Seq[Option[Candidate]], leaves: Int, uncut: Int => Boolean): Seq[Option[Candidate]] = {
    val roots = columns.map(_.map(new Place(null, _)))
    roots.foreach(_.foreach(_.isKept = true))
    var remaining = leaves - 2 * columns.size
    val ends = for ((root, column) <- roots.zipWithIndex; place <- root.toSeq.flatMap(_.ends))
      yield (place, place.candidate.isForced || uncut(column))
    val (fixed, optional) = ends.partition(_._2)
    fixed.foreach { case (place, _) => remaining -= place.keep() }
    // The sort is stable: ties stay in the order of columns and names.
    val ranked = optional.map(_._1).sortBy(-_.candidate.values).iterator
    while (ranked.nonEmpty) {
      val place = ranked.next()
      if (place.cost <= remaining) remaining -= place.keep() else remaining = -1
    }
    roots.map(_.flatMap(_.kept))
  }

  /** A candidate and its position in the tree. */
  private final class Place(parent: Place, val candidate: Candidate) {
    import Candidate._

    /** Whether the cell is kept, and whether it keeps the type of a scalar. */
    var isKept = false
    private var isTyped = false

    private val below: Seq[Place] = candidate match {
      case Items(element, _, _) => Seq(new Place(this, element))
      case Fields(fields, _, _) => fields.map { case (_, field) => new Place(this, field) }
      case _ => Nil
    }

    /** The candidates that are selected one by one: scalars and forced candidates. */
    def ends: Seq[Place] = {
      val own = candidate match {
        case Leaf(_, _, _) | Cell => true
        case other => other.isForced
      }
      (if (own) Seq(this) else Nil) ++ below.flatMap(_.ends)
    }

    def cost: Int = cells + (candidate match {
      case Leaf(_, _, _) => 1
      case _ => 0
    })

    private def cells: Int = if (isKept) 0 else 1 + parent.cells

    /** Keeps the candidate and returns the number of leaves that this adds. */
    def keep(): Int = {
      val spent = cost
      isTyped = true
      keepCell()
      spent
    }

    private def keepCell(): Unit = if (!isKept) {
      isKept = true
      parent.keepCell()
    }

    def kept: Option[Candidate] = if (!isKept) None
    else
      candidate match {
        case Cell => Some(Cell)
        case leaf: Leaf => Option.when(isTyped)(leaf)
        case Items(_, values, forced) =>
          below.head.kept.map(Items(_, values, forced)).orElse(Option.when(forced)(Cell))
        case Fields(fields, values, forced) =>
          val keptFields = fields.zip(below).flatMap { case ((name, _), place) => place.kept.map(name -> _) }
          if (keptFields.nonEmpty) Some(Fields(keptFields, values, forced)) else Option.when(forced)(Cell)
      }
  }
}
