/**
 * Compares the counts in a file's footer with the counts of the values that are read from the file.
 *
 * Reading returns numbers in their narrowest width. So integers and decimals count as one kind here, and the
 * values that are read may have fewer digits than the footer counted, but never more.
 */
package shreddedvariant.infer

import com.google.common.math.LongMath

object CountsVerifier {

  /** The differences by path. If paths were left out of the counts, only the numbers of rows are compared. */
  def wrong(recorded: Counts, actual: Counts): Seq[(String, String)] =
    if (recorded.rows != actual.rows)
      Seq(("$", s"its footer counts ${recorded.rows} values for inference and there are ${actual.rows}"))
    else if (recorded.isCut || actual.isCut) Nil
    else nodes(recorded.tree, actual.tree, "$")

  private def nodes(recorded: Node, actual: Node, path: String): Seq[(String, String)] = {
    val atPath = kinds.flatMap { case (name, kinds) =>
      val (a, b) = (sum(recorded, kinds), sum(actual, kinds))
      Option.when(a != b)((path, s"its footer counts $a values of kind $name for inference and there are $b"))
    } ++ Option.when(digits(recorded) < digits(actual) || recorded.scale < actual.scale)(
      (path, "its footer counts fewer digits for inference than there are")
    )
    val (a, b) = (fields(recorded), fields(actual))
    val below = (a.keySet ++ b.keySet).toSeq.sorted.flatMap { name =>
      nodes(a.getOrElse(name, nothing), b.getOrElse(name, nothing), s"$path['$name']")
    }
    val elements =
      if (recorded.element == null && actual.element == null) Nil
      else nodes(orNothing(recorded.element), orNothing(actual.element), s"$path[*]")
    atPath ++ below ++ elements
  }

  private def sum(node: Node, kinds: Seq[Int]) = kinds.map(node.counts(_)).foldLeft(0L)(LongMath.saturatedAdd)

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
