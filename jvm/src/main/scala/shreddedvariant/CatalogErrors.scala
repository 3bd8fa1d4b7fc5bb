/** The sentences about tables in a catalog, a part of [[Errors]]. */
package shreddedvariant

private[shreddedvariant] trait CatalogErrors extends Sentences {
  def notOnePath(paths: Seq[String]): ShreddedVariantException =
    error(
      "NOT_ONE_PATH",
      s"Rows cannot be inserted into what was read from ${list(paths)}: insert into one directory, named without a pattern."
    )

  def partitionCondition(path: String, condition: String, columns: Seq[String]): ShreddedVariantException =
    error(
      "PARTITION_CONDITION",
      s"'$path' is a table of files, in which ${clip(condition)} cannot be overwritten: " +
        (if (columns.isEmpty) "it has no partitions, so overwrite it as a whole."
         else s"ask for one value of each of its first partition columns, which are ${list(columns)}.")
    )

  def outsideOfPartition(path: String, column: String, value: String): ShreddedVariantException =
    error(
      "OUTSIDE_OF_PARTITION",
      s"A row for '$path' lies outside of the partition that is overwritten: write only rows where $column is $value."
    )

  def tableColumn(column: String, what: String, instead: String): ShreddedVariantException =
    error(
      "TABLE_COLUMN",
      s"The column '$column' $what, which tables of shredded_variant do not know: $instead."
    )

  def tablePartitioning(transform: String): ShreddedVariantException =
    error(
      "TABLE_PARTITIONING",
      s"Tables of shredded_variant are partitioned by columns alone, not by $transform: name columns in PARTITIONED BY."
    )

  def deltaTableColumns(path: String, table: String): ShreddedVariantException =
    error(
      "DELTA_TABLE_COLUMNS",
      s"The Delta table '$path' has other columns than '$table' is created with: leave them out of CREATE TABLE, " +
        "or overwrite the Delta table with save(path) and the option overwriteSchema first."
    )
}
