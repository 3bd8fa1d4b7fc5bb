/** The options of a read or write, combined with the defaults of the session. */
package shreddedvariant.source.options

import java.util.Locale

import org.apache.spark.sql.internal.SQLConf
import shreddedvariant.Options

/** The options of one read or write: its own options and the session's defaults. */
final case class GivenOptions(own: Map[String, String], session: Map[String, String]) {

  /** All options: own options replace session defaults, and an own `shredding` hides the session's shapes. */
  def all: Map[String, String] = {
    val taken = own.keySet.map(_.toLowerCase(Locale.ROOT))
    val hidden = if (taken(Options.Shredding)) session.filterNot { case (k, _) => isShape(k) }
    else session
    hidden.filterNot { case (k, _) => taken(k.toLowerCase(Locale.ROOT)) } ++ own
  }

  private def isShape(key: String) = key.toLowerCase(Locale.ROOT).startsWith(Options.ShapePrefix)
}

object SourceOptions {

  /**
   * Separates the session's defaults from own options; Spark merges both for `load` and `save`, but not for V1.
   */
  def withDefaults(options: Map[String, String]): GivenOptions = {
    val session = SQLConf.get.getAllConfs.collect {
      case (key, value) if key.startsWith(Options.SessionPrefix) =>
        key.stripPrefix(Options.SessionPrefix) -> value
    }
    GivenOptions(options.filterNot { case (key, value) => session.get(key).contains(value) }, session)
  }

  def codec(options: Map[String, String]): String =
    Options.get(options, Options.Compression).orElse(Options.get(options, "parquet.compression")).getOrElse(
      "zstd"
    )
}
