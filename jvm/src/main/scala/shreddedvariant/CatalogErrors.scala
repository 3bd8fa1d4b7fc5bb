/** The error sentences about tables in a catalog, a part of [[Errors]]. */
package shreddedvariant

private[shreddedvariant] trait CatalogErrors extends Sentences {
  def notOnePath(paths: Seq[String]): ShreddedVariantException =
    error(
      "NOT_ONE_PATH",
      s"Rows cannot be inserted into ${list(paths)}, because this is not one directory: insert into one directory, " +
        "named without a pattern."
    )

  def partitionCondition(path: String, condition: String, columns: Seq[String]): ShreddedVariantException =
    error(
      "PARTITION_CONDITION",
      s"The rows where ${clip(condition)} cannot be overwritten in the table of files '$path': " +
        (if (columns.isEmpty) "it has no partitions, so overwrite it as a whole."
         else
           s"compare each of its first partition columns with one value; these columns are ${list(columns)}.")
    )

  def outsideOfPartition(path: String, column: String, value: String): ShreddedVariantException =
    error(
      "OUTSIDE_OF_PARTITION",
      s"A row for '$path' lies outside of the partition that is overwritten: write only rows where $column is $value."
    )

  def tableColumn(column: String, refusal: String, instead: String): ShreddedVariantException =
    error(
      "TABLE_COLUMN",
      s"In a table of shredded_variant, the column '$column' $refusal: $instead."
    )

  def onlyPartitionColumns(table: String): ShreddedVariantException =
    error(
      "ONLY_PARTITION_COLUMNS",
      s"The table '$table' has no column beside its partition columns: add a column, or leave one out of PARTITIONED BY."
    )

  def tablePartitioning(transform: String): ShreddedVariantException =
    error(
      "TABLE_PARTITIONING",
      s"Tables of shredded_variant are partitioned by columns alone, not by $transform: name columns in PARTITIONED BY."
    )

  def deltaTableColumns(path: String, table: String): ShreddedVariantException =
    error(
      "DELTA_TABLE_COLUMNS",
      s"The Delta table '$path' and the definition of '$table' have different columns: leave the columns out of " +
        "CREATE TABLE, or overwrite the Delta table with save(path) and the option overwriteSchema first."
    )
}
