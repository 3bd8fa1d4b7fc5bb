/** Where a path ends among the columns of a file, in either layout. */
package shreddedvariant.parquet.bind

import scala.annotation.tailrec

import shreddedvariant.layout._

/** See [[BoundPath]], which this becomes once its columns are read. */
final case class ResolvedPath(
    cell: FileCell,
    hops: Seq[(FileTyped.Array, Int)],
    rest: Seq[PathStep],
    outer: Option[ResolvedPath]
) {
  def isElement: Boolean = hops.lastOption.exists(_._1.element eq cell)

  /** The columns of stored values that may have the path's value where this cell is missing, from the nearest on. */
  def outerValues: Seq[Seq[String]] = outer.toSeq.flatMap(end => end.cell.value.toSeq ++ end.outerValues)
}

object ResolvedPath {

  /**
   * Follows a path through the typed columns. Where they end, the rest is looked up in what the last cell has stored:
   * keys that are not shredded stand there, and so does everything that is no object or array as the columns have it.
   * None if nothing is stored either: no row has the path.
   *
   * Today's layout forbids what is shredded in stored values further out, and so does our writer to itself; the draft
   * leaves it open, so in files of others every cell on the way is noted from the first on that stores any.
   */
  def find(variant: FileVariant, steps: Seq[PathStep]): Option[ResolvedPath] =
    find(variant.root, steps, Nil, None, variant.mayStandOutside)

  @tailrec private def find(
      cell: FileCell,
      steps: Seq[PathStep],
      hops: Seq[(FileTyped.Array, Int)],
      outer: Option[ResolvedPath],
      mayStandOutside: Boolean
  ): Option[ResolvedPath] = {
    val next: Option[(FileCell, Option[(FileTyped.Array, Int)])] = steps.headOption.flatMap {
      case PathStep.Key(key) => cell.fields.flatMap(_.field(key)).map((_, None))
      case PathStep.Index(index) => cell.array.map(array => (array.element, Some((array, index))))
    }
    val here = ResolvedPath(cell, hops, steps, outer)
    next match {
      case Some((found, hop)) =>
        val around = if (mayStandOutside && (cell.value.isDefined || outer.isDefined)) Some(here) else None
        find(found, steps.tail, hops ++ hop, around, mayStandOutside)
      case None => Option.when(steps.isEmpty || cell.value.isDefined || outer.isDefined)(here)
    }
  }
}
