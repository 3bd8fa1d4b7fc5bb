/** The limits of inference, from the options of a write or from the map that `shredding_shape` takes. */
package shreddedvariant.source.options

import java.util.Locale

import shreddedvariant.{Errors, Options}
import shreddedvariant.infer.{Limits, Policy}

object InferenceLimits {

  /** The limits that are the same for all columns; the paths of each column are added later. */
  def of(options: Map[String, String]): Limits = {
    val default = Limits()
    def limit(key: String, fallback: Int) = Options.inferenceLimit(options, key).getOrElse(fallback)
    Limits(
      policy = Options.policy(options).fold(default.policy)(name =>
        Policy.all.find(_.name.equalsIgnoreCase(name)).get
      ),
      minFieldFrequency = Options.minFieldFrequency(options).getOrElse(default.minFieldFrequency),
      maxFields = limit(Options.MaxFields, default.maxFields),
      maxDepth = limit(Options.MaxDepth, default.maxDepth),
      maxIntermediateFields = limit(Options.MaxIntermediateFields, default.maxIntermediateFields)
    )
  }

  private val prefix = Options.Shredding + "."
  private val include = "include"
  private val exclude = "exclude"

  /** The names of the options without `shredding.`; `include` and `exclude` need no column. */
  val names: Seq[String] = Options.limits.map(_.stripPrefix(prefix)) ++ Seq(include, exclude)

  def ofMap(entries: Map[String, String]): Limits = {
    entries.keys.toSeq.sorted.foreach { key =>
      if (!names.exists(_.equalsIgnoreCase(key))) {
        val nearest = Options.nearest(key.toLowerCase(Locale.ROOT), names, math.max(2, key.length / 2))
        throw Errors.unknownLimit(key, nearest, names)
      }
    }
    val options = entries.map { case (key, value) => (prefix + key) -> value }
    Options.checkLimits(options)
    def paths(key: String) =
      Options.get(entries, key).fold(Limits().include)(text => PathList.parse(key, text))
    of(options).copy(include = paths(include), exclude = paths(exclude))
  }
}
