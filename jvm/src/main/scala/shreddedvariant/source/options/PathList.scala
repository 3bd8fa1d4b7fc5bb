/**
 * Parses the paths of `shredding.include`, `shredding.exclude` and `bloom`: Spark's paths, separated by commas.
 *
 * `[*]` means the elements of an array, as in EXPLAIN. An index means the same, since all elements have one
 * shape.
 */
package shreddedvariant.source.options

import org.apache.spark.sql.catalyst.expressions.variant.{
  ArrayExtraction,
  ObjectExtraction,
  VariantPathParser
}
import shreddedvariant.Errors
import shreddedvariant.infer.Counts
import shreddedvariant.layout.PathStep

object PathList {
  def parse(key: String, text: String): Seq[Seq[PathStep]] = split(text).map { path =>
    val steps =
      VariantPathParser.parse(indexed(path)).getOrElse(throw Errors.path(key, path, "it is not a path"))
    if (steps.length > Counts.MaxDepth)
      throw Errors.path(key, path, s"it has more than ${Counts.MaxDepth} steps")
    steps.toSeq.map {
      case ObjectExtraction(name) => PathStep.Key(name)
      case ArrayExtraction(index) => PathStep.Index(index)
    }
  }

  /** Commas within `['…']` and `["…"]` belong to a key. */
  private def split(text: String): Seq[String] = {
    val commas = outside(text, ",")
    val starts = 0 +: commas.map(_ + 1)
    starts.zip(commas :+ text.length).map { case (from, until) => text.substring(from, until).trim }
  }

  private def indexed(path: String): String =
    outside(path, "[*]").foldLeft(path)((path, position) => path.updated(position + 1, '0'))

  /** The positions of `part` outside of quoted keys. */
  private def outside(text: String, part: String): Seq[Int] = {
    val positions = Seq.newBuilder[Int]
    var position = 0
    while (position < text.length) {
      val quote =
        if (text.startsWith("['", position)) "']" else if (text.startsWith("[\"", position)) "\"]" else null
      val end = if (quote == null) -1 else text.indexOf(quote, position + 2)
      if (end >= 0) position = end + 2
      else {
        if (text.startsWith(part, position)) positions += position
        position += 1
      }
    }
    positions.result()
  }
}
