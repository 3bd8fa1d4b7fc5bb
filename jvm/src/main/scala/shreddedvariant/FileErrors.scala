/** The error sentences about files and the values in them, a part of [[Errors]]. */
package shreddedvariant

import org.apache.spark.SparkException

private[shreddedvariant] trait FileErrors extends Sentences {
  def notExclusive(directory: String): ShreddedVariantException =
    error(
      "NOT_EXCLUSIVE",
      s"The file system of '$directory' cannot guarantee that only one of several drivers creates a file, so a commit " +
        s"or a pinned shape could be lost without an error: set the option '${Options.SingleDriver}' to true if no other driver " +
        s"writes to the table, or '${Options.Pin}' to none for a directory of files."
    )

  def storeConflict(file: String, cause: Throwable): ShreddedVariantException =
    error(
      "STORE_CONFLICT",
      s"The store has answered each attempt to write '$file' with a conflict (${reason(cause)}): " +
        "write again when no other writer uses the table.",
      cause
    )

  def noLinks(file: String, cause: Throwable): ShreddedVariantException =
    error(
      "NO_LINKS",
      s"'$file' cannot be created safely, because its file system has neither hard links nor locks (${reason(cause)}): " +
        "write to another file system.",
      cause
    )

  def notParquet(file: String, cause: Throwable): ShreddedVariantException =
    error(
      "NOT_PARQUET",
      s"'$file' is not a readable Parquet file (${reason(cause)}): " +
        "remove it, write it again, or set ignoreCorruptFiles to skip such files.",
      cause
    )

  def unknownType(file: String, column: String, cause: Throwable): ShreddedVariantException =
    error(
      "UNKNOWN_TYPE",
      s"The column '$column' of '$file' has a logical type that this version of Parquet does not support, so no column " +
        "of the file can be read: write the file without this column, or read it with a newer Spark.",
      cause
    )

  def fileSchema(file: String, cause: Throwable): ShreddedVariantException =
    error(
      "FILE_SCHEMA",
      s"Spark has no type for a column of the file '$file' (${reason(cause)}): " +
        "give the columns that you read with schema(…), and leave this one out.",
      cause
    )

  /** Whether the error says that Spark lacks a type of the file; the file itself is not damaged. */
  def isOfTypes(e: ShreddedVariantException): Boolean = e.condition == "SHREDDED_VARIANT_FILE_SCHEMA"

  def malformedLayout(column: String, reason: String): ShreddedVariantException =
    error(
      "MALFORMED_LAYOUT",
      s"The variant '$column' does not follow the shredding layout ($reason): " +
        "write the file again, or read the column as a struct with a schema of your own."
    )

  def unsupportedType(column: String, parquetType: String): ShreddedVariantException =
    error(
      "UNSUPPORTED_TYPE",
      s"The variant '$column' is shredded as $parquetType, which the shredding layout does not allow: " +
        "write the file again with a type of the specification."
    )

  def malformedMap(column: String, reason: String): ShreddedVariantException =
    error(
      "MALFORMED_MAP",
      s"The map '$column' does not follow the layout of maps with hot keys ($reason): write the file again."
    )

  def unnamedHotKeys(column: String, sidecars: Int, option: String): ShreddedVariantException =
    error(
      "UNNAMED_HOT_KEYS",
      s"The map '$column' has $sidecars hot keys in columns of their own, and the footer does not name them: " +
        s"give them in their order with the option '$option'."
    )

  def malformedValue(path: String, reason: String): ShreddedVariantException =
    error(
      "MALFORMED_VALUE",
      s"The variant at '$path' is malformed ($reason): write the row again from its source, or leave the column out of the query."
    )

  def conflict(path: String, stored: String, problem: String): ShreddedVariantException =
    error(
      "CONFLICT",
      s"At '$path' $stored and a typed column are both set and $problem: the file breaks the shredding layout, so write it again."
    )

  def twoTyped(path: String): ShreddedVariantException =
    error(
      "CONFLICT",
      s"At '$path' two of object, array and typed_value are set, but a value has only one of them: " +
        "the file breaks the shredding layout, so write it again."
    )

  def tooDeep(column: String, limit: Int): ShreddedVariantException =
    error(
      "TOO_DEEP",
      s"The variant '$column' is nested deeper than $limit levels: raise the option maxVariantDepth if you trust the file."
    )

  def tooLarge(path: String, limit: Long): ShreddedVariantException =
    error(
      "TOO_LARGE",
      s"A variant at '$path' is larger than $limit bytes: raise the option maxVariantBytes if you trust the file."
    )

  def textTooLarge(path: String, limit: Long): ShreddedVariantException =
    error(
      "TOO_LARGE",
      s"The JSON text of a variant at '$path' is larger than $limit bytes: raise the option maxVariantBytes if you trust the file."
    )

  def columnType(column: String, parquetType: String, target: String): ShreddedVariantException =
    error(
      "COLUMN_TYPE",
      s"The column '$column' is $parquetType in the file and cannot be read as $target: " +
        "read it with the type that the file has, and cast."
    )

  def ambiguousColumn(column: String, matches: Seq[String]): ShreddedVariantException =
    error(
      "AMBIGUOUS_COLUMN",
      s"The column '$column' matches ${list(matches)} in the file: set spark.sql.caseSensitive to true."
    )

  def inFile(file: String, row: Option[Long], cause: ShreddedVariantException): ShreddedVariantException =
    new ShreddedVariantException(
      cause.condition,
      s"In the file '$file'${row.fold("")(r => s", row $r")}: " + cause.getMessage.stripPrefix(
        s"[${cause.condition}] "
      ),
      cause
    )

  def counts(reason: String): ShreddedVariantException =
    error(
      "COUNTS",
      s"The stored counts of inference are damaged ($reason): remove the counts, or write the file again."
    )

  def damagedPages(file: String, column: String, cause: Throwable): ShreddedVariantException =
    error(
      "DAMAGED_PAGES",
      s"The column '$column' of the file '$file' cannot be decoded (${reason(cause)}): " +
        "write the file again, or leave the column out of the query.",
      cause
    )

  /**
   * A SparkException, because `ignoreCorruptFiles` skips files that raise a RuntimeException or IOException.
   * Without the cause, because an executor exits if a fatal error is among the causes of an exception.
   */
  def decodingMemory(file: String, column: String, cause: OutOfMemoryError): SparkException =
    new SparkException(
      s"[SHREDDED_VARIANT_DECODING_MEMORY] The column '$column' of the file '$file' needs more memory to be decoded than " +
        s"there is (${reason(cause)}): give the executors more memory, or write the file again if its sizes are damaged.",
      null
    )

  def shreddedTooDeep(column: String, limit: Int): ShreddedVariantException =
    error(
      "SHREDDED_TOO_DEEP",
      s"The variant '${column.take(80)}…' is shredded in more than $limit levels: " +
        "read its paths, or write the file again with a shape of fewer levels."
    )

  /** Without the StackOverflowError, see [[decodingMemory]]. */
  def schemaTooDeep(file: String): ShreddedVariantException =
    error(
      "SCHEMA_TOO_DEEP",
      s"The columns of the file '$file' are nested too deep to be read: " +
        "leave the column out of schema(…), or give the threads of the executors a larger stack (-Xss)."
    )
}
