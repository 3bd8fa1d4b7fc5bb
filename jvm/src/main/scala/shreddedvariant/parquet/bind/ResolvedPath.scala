/** Resolves a path to a cell among the columns of a file, in either layout. */
package shreddedvariant.parquet.bind

import scala.annotation.tailrec

import shreddedvariant.layout._

/** The end of a path in the schema; `BoundPath` has the same members with vectors, and explains them. */
final case class ResolvedPath(
    cell: FileCell,
    hops: Seq[(FileTyped.Array, Int)],
    rest: Seq[PathStep],
    outer: Option[ResolvedPath]
) {
  def isElement: Boolean = hops.lastOption.exists(_._1.element eq cell)

  /**
   * The columns of the enclosing cells' stored values, nearest first: where this cell is missing, they may have
   * the value.
   */
  def outerValues: Seq[Seq[String]] = outer.toSeq.flatMap(end => end.cell.value.toSeq ++ end.outerValues)
}

object ResolvedPath {

  /**
   * Follows a path through the typed columns. Where they end, the rest of the path is looked up in the stored
   * values of the last cell: they have the keys that are not shredded, and all values of other types than the
   * columns. None if the cell has no stored values: then no row has the path.
   *
   * The standard layout forbids a shredded field in the stored value of an enclosing cell, and our writer never
   * writes one. The draft layout allows it, so in files of other writers `outer` links the enclosing cells,
   * from the outermost cell with stored values on.
   */
  def find(variant: FileVariant, steps: Seq[PathStep]): Option[ResolvedPath] =
    find(variant.root, steps, Nil, None, variant.mayBeOutside)

  @tailrec private def find(
      cell: FileCell,
      steps: Seq[PathStep],
      hops: Seq[(FileTyped.Array, Int)],
      outer: Option[ResolvedPath],
      mayBeOutside: Boolean
  ): Option[ResolvedPath] = {
    val next: Option[(FileCell, Option[(FileTyped.Array, Int)])] = steps.headOption.flatMap {
      case PathStep.Key(key) => cell.fields.flatMap(_.field(key)).map((_, None))
      case PathStep.Index(index) => cell.array.map(array => (array.element, Some((array, index))))
    }
    val end = ResolvedPath(cell, hops, steps, outer)
    next match {
      case Some((inner, hop)) =>
        val enclosing = if (mayBeOutside && (cell.value.isDefined || outer.isDefined)) Some(end) else None
        find(inner, steps.tail, hops ++ hop, enclosing, mayBeOutside)
      case None => Option.when(steps.isEmpty || cell.value.isDefined || outer.isDefined)(end)
    }
  }
}
