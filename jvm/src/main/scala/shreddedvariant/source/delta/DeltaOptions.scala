/** Options that no Delta table can have. */
package shreddedvariant.source.delta

import java.util.Locale

import shreddedvariant.{Errors, Options}

object DeltaOptions {

  /** For a table that exists at `root`, or will. */
  def checkTable(root: String, options: Map[String, String]): Unit = {
    for (
      key <- options.keys.toSeq.sorted if key.toLowerCase(Locale.ROOT).startsWith("parquet.map.shredding.")
    )
      throw Errors.deltaOption(root, key, "other readers of the table would see maps without their hot keys")
    if (Options.get(options, Options.Layout).exists(_.equalsIgnoreCase("draft")))
      throw Errors.deltaOption(root, Options.Layout, "other readers of the table know today's layout alone")
    if (Options.get(options, Options.Table).exists(_.equalsIgnoreCase("files")))
      throw Errors.deltaOption(root, Options.Table, "files that no log knows would not be part of it")
  }
}
