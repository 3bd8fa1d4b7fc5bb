/**
 * Reads the paths of `shredding.include` and `shredding.exclude`: Spark's own paths for variants, separated by commas.
 * `[*]` stands for the elements of an array, as it does in EXPLAIN; an index means the same, since all have one shape.
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
    val steps = VariantPathParser.parse(indexed(path)).getOrElse(throw Errors.path(key, path, "it is none"))
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
    outside(path, "[*]").foldLeft(path)((path, at) => path.updated(at + 1, '0'))

  /** Where `wanted` stands outside of quoted keys. */
  private def outside(text: String, wanted: String): Seq[Int] = {
    val found = Seq.newBuilder[Int]
    var at = 0
    while (at < text.length) {
      val quote =
        if (text.startsWith("['", at)) "']" else if (text.startsWith("[\"", at)) "\"]" else null
      val end = if (quote == null) -1 else text.indexOf(quote, at + 2)
      if (end >= 0) at = end + 2
      else {
        if (text.startsWith(wanted, at)) found += at
        at += 1
      }
    }
    found.result()
  }
}
