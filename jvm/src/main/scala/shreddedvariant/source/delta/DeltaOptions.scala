/** Refuses options that a Delta table cannot have. */
package shreddedvariant.source.delta

import java.util.Locale

import shreddedvariant.{Errors, Options}

object DeltaOptions {

  /** For a table that exists at `root` or is about to be created there. */
  def checkTable(root: String, options: Map[String, String]): Unit = {
    for (
      key <- options.keys.toSeq.sorted if key.toLowerCase(Locale.ROOT).startsWith("parquet.map.shredding.")
    )
      throw Errors.deltaOption(root, key, "other readers of the table would see maps without their hot keys")
    if (Options.get(options, Options.Layout).exists(_.equalsIgnoreCase("draft")))
      throw Errors.deltaOption(
        root,
        Options.Layout,
        "other readers of the table support only the current layout"
      )
    if (Options.get(options, Options.Table).exists(_.equalsIgnoreCase("files")))
      throw Errors.deltaOption(
        root,
        Options.Table,
        "files that its log does not name are not part of the table"
      )
  }
}
