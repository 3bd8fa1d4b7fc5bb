/** Options as they reach the source on its different ways, with the defaults of the session behind them. */
package shreddedvariant.source.options

import java.util.Locale

import org.apache.spark.sql.internal.SQLConf
import shreddedvariant.Options

/** Options of one write or read, those given with it and the session's defaults. */
final case class GivenOptions(own: Map[String, String], session: Map[String, String]) {

  /** What holds: own options go before the session's, and `shredding` before the session's shapes. */
  def all: Map[String, String] = {
    val taken = own.keySet.map(_.toLowerCase(Locale.ROOT))
    val hidden = if (taken(Options.Shredding)) session.filterNot { case (k, _) => isShape(k) }
    else session
    hidden.filterNot { case (k, _) => taken(k.toLowerCase(Locale.ROOT)) } ++ own
  }

  private def isShape(key: String) = key.toLowerCase(Locale.ROOT).startsWith(Options.ShapePrefix)
}

object SourceOptions {

  /** Splits off what the session says: `load` and `save` have mixed its defaults in, the V1 ways have not. */
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
