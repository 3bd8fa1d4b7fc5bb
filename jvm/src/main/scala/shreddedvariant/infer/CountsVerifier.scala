/**
 * Compares the counts that a file has of a column's values with those of the values that are read of it.
 *
 * Reading gives numbers back in their narrowest width, so integers and decimals count as one kind here, and digits can be
 * fewer than those that were counted, but never more.
 */
package shreddedvariant.infer

object CountsVerifier {

  /** By path, what is told of it and not true. Of counts that left paths out, only the number of rows is compared. */
  def wrong(told: Counts, found: Counts): Seq[(String, String)] =
    if (told.rows != found.rows)
      Seq(("$", s"its footer counts ${told.rows} values for inference and there are ${found.rows}"))
    else if (told.isCut || found.isCut) Nil
    else nodes(told.tree, found.tree, "$")

  private def nodes(told: Node, found: Node, path: String): Seq[(String, String)] = {
    val here = kinds.flatMap { case (name, kinds) =>
      val (a, b) = (kinds.map(told.counts(_)).sum, kinds.map(found.counts(_)).sum)
      Option.when(a != b)((path, s"its footer counts $a values of kind $name for inference and there are $b"))
    } ++ Option.when(digits(told) < digits(found) || told.scale < found.scale)(
      (path, "its footer knows of fewer digits for inference than there are")
    )
    val (a, b) = (fields(told), fields(found))
    val below = (a.keySet ++ b.keySet).toSeq.sorted.flatMap { name =>
      nodes(a.getOrElse(name, nothing), b.getOrElse(name, nothing), s"$path['$name']")
    }
    val elements =
      if (told.element == null && found.element == null) Nil
      else nodes(orNothing(told.element), orNothing(found.element), s"$path[*]")
    here ++ below ++ elements
  }

  private val nothing = new Node(null, PathOrder.Root)
  private def orNothing(node: Node) = if (node == null) nothing else node

  private def fields(node: Node): Map[String, Node] =
    node.sortedFields.map(field => new String(field.name.bytes, "UTF-8") -> field).toMap

  private def digits(node: Node) =
    math.max(node.integerDigits, if (node.largest == 0) 0 else node.largest.toString.length)

  private val kinds: Seq[(String, Seq[Int])] = {
    val (numbers, others) = (0 until Kind.Count).partition(k => Kind.isInteger(k) || Kind.isDecimal(k))
    val names = Map(Kind.Array -> "ARRAY", Kind.Object -> "OBJECT")
    ("number", numbers) +: others.map(k => (names.getOrElse(k, Kind.scalar(k).ddl), Seq(k)))
  }
}
