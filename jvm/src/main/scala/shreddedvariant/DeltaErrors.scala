/** The error sentences about Delta tables, a part of [[Errors]]. */
package shreddedvariant

private[shreddedvariant] trait DeltaErrors extends Sentences {
  def deltaRoute(path: String, route: String): ShreddedVariantException =
    error(
      "DELTA_ROUTE",
      s"'$path' is a Delta table (it holds a _delta_log), and this version does not support $route for Delta tables: " +
        "use format(\"shredded_variant\") with load(path) and save(path), or format(\"delta\")."
    )

  def insideDelta(path: String, table: String): ShreddedVariantException =
    error(
      "INSIDE_DELTA_TABLE",
      s"'$path' is inside the Delta table '$table', whose log alone lists the files: " +
        "name the table, and choose its rows with a filter."
    )

  def deltaAmongOthers(path: String): ShreddedVariantException =
    error(
      "DELTA_AMONG_OTHERS",
      s"The Delta table '$path' is named together with other paths: load it alone, and combine the rows with union."
    )

  def deltaLog(path: String, cause: Throwable): ShreddedVariantException =
    error(
      "DELTA_LOG",
      s"The log of the Delta table '$path' cannot be used (${reason(cause)}): " +
        "repair or restore its _delta_log with Delta's own tools.",
      cause
    )

  def deltaUncommitted(path: String): ShreddedVariantException =
    error(
      "DELTA_UNCOMMITTED",
      s"The Delta table '$path' has no commit yet, because the write that creates it is under way or was killed: " +
        "wait for it, or remove the directory and write again."
    )

  def deltaVersion(path: String, version: String, cause: Throwable): ShreddedVariantException =
    error(
      "DELTA_VERSION",
      s"The Delta table '$path' has no version as of '$version' (${reason(cause)}): " +
        "choose a version that DESCRIBE HISTORY lists.",
      cause
    )

  def deltaFeature(path: String, feature: String, how: String, instead: String): ShreddedVariantException =
    error(
      "DELTA_FEATURE",
      s"The Delta table '$path' uses $feature and cannot be $how in this version: $instead."
    )

  def deltaAppendOnly(path: String): ShreddedVariantException =
    error(
      "DELTA_APPEND_ONLY",
      s"The Delta table '$path' has the property delta.appendOnly: append to it, or set the property to false."
    )

  def deltaOption(path: String, key: String, reason: String): ShreddedVariantException =
    error(
      "DELTA_OPTION",
      s"The option '$key' cannot be used with the Delta table '$path' ($reason): remove it."
    )

  def deltaConflict(path: String, reason: String): ShreddedVariantException =
    error(
      "DELTA_CONFLICT",
      s"Nothing was written to the Delta table '$path', because another writer changed it meanwhile ($reason): " +
        "run the write again."
    )

  def deltaCommit(path: String, cause: Throwable): ShreddedVariantException =
    error(
      "DELTA_COMMIT",
      s"It is unknown whether the commit to the Delta table '$path' has succeeded (${reason(cause)}): " +
        "check the table's newest version before you run the write again.",
      cause
    )

  /** Whether the commit that failed with this error may be part of the table. */
  def mayHaveCommitted(e: ShreddedVariantException): Boolean = e.condition == "SHREDDED_VARIANT_DELTA_COMMIT"

  def deltaReplaceWhere(path: String, condition: String, partition: String): ShreddedVariantException =
    error(
      "DELTA_REPLACE_WHERE",
      s"Rows for the partition '$partition' of the Delta table '$path' do not fulfil replaceWhere '${clip(condition)}': " +
        "filter them out, or widen the condition."
    )

  def deltaCondition(path: String, condition: String, reason: String): ShreddedVariantException =
    error(
      "DELTA_CONDITION",
      s"The condition '${clip(condition)}' in replaceWhere cannot choose partitions of the Delta table '$path' ($reason): " +
        "write a condition on its partition columns."
    )

  def deltaPartitioning(path: String, columns: Seq[String], written: Seq[String]): ShreddedVariantException =
    error(
      "DELTA_PARTITIONING",
      s"The Delta table '$path' is partitioned by ${list(columns)} and not by ${list(written)}: " +
        "leave partitionBy out, or overwrite the table with overwriteSchema."
    )

  def deltaColumns(path: String, added: Seq[String]): ShreddedVariantException =
    error(
      "DELTA_COLUMNS",
      s"The Delta table '$path' does not have the columns ${list(added)}: " +
        "set the option mergeSchema to add them, or leave them out."
    )

  def deltaOverFiles(path: String): ShreddedVariantException =
    error(
      "DELTA_OVER_FILES",
      s"'$path' has files that the log of a new Delta table would not list: write the Delta table to another path, " +
        "or remove the files if a killed write left them."
    )

  def deltaShredding(path: String, key: String, property: String): ShreddedVariantException =
    error(
      "DELTA_SHREDDING_OFF",
      s"The option '$key' asks for a shape, but the Delta table '$path' does not allow shredded variants: " +
        s"set its property $property to true, or remove the option."
    )

  def onlyDelta(key: String): ShreddedVariantException =
    error(
      "ONLY_DELTA",
      s"The option '$key' works on Delta tables alone: remove it, or write with the option 'table' = 'delta'."
    )

  def deltaPin(path: String, key: String, text: String, cause: Throwable): ShreddedVariantException =
    error(
      "DELTA_PIN",
      s"The property '$key' of the Delta table '$path' is '${clip(text)}', which is not the shape of a column " +
        s"(${reason(cause)}): set a shape, or unset the property."
    )

  def deltaStreamVersion(path: String, version: Long): ShreddedVariantException =
    error(
      "DELTA_STREAM_VERSION",
      s"A stream cannot continue at version $version of the Delta table '$path', because the log does not have it: " +
        "start the query with another checkpointLocation."
    )

  def deltaStreamOffset(path: String, offset: String, reason: String): ShreddedVariantException =
    error(
      "DELTA_STREAM_OFFSET",
      s"The checkpoint's offset '${clip(offset)}' is not an offset of the Delta table '$path' ($reason): " +
        "start the query with another checkpointLocation."
    )

  def deltaStreamColumns(path: String, version: Long): ShreddedVariantException =
    error(
      "DELTA_STREAM_COLUMNS",
      s"The columns of the Delta table '$path' at version $version differ from those that the stream started with: " +
        "start the query again, with another checkpointLocation if the columns do not fit together."
    )

  def deltaStreamRemoval(path: String, version: Long, hasRows: Boolean): ShreddedVariantException =
    error(
      "DELTA_STREAM_REMOVAL",
      s"Version $version of the Delta table '$path' removes rows${if (hasRows) " and adds others" else ""}, " +
        "and a stream cannot take rows back: set skipChangeCommits to skip such versions" +
        (if (hasRows) ", or ignoreChanges to read the files that they add." else ", or ignoreDeletes.")
    )

  def deltaSchema(path: String): ShreddedVariantException =
    error(
      "DELTA_SCHEMA",
      s"The columns of the Delta table '$path' differ from those of schema(…): leave schema(…) out, and select what you need."
    )
}
