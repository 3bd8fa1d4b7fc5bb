/** Every sentence a user can meet, but for Delta tables and catalogs: what is wrong, where, what to do. */
package shreddedvariant

import java.time.Instant

import org.apache.spark.SparkException

/** A refusal with a stable name; the message begins with it in brackets. */
final class ShreddedVariantException(val condition: String, sentence: String, cause: Throwable = null)
    extends IllegalArgumentException(s"[$condition] $sentence", cause) {

  /**
   * What a task sends to the driver: threads of Spark read it there that do not know the classes of a session's jar, and an
   * exception that they cannot read is an `UnknownReason` to the user.
   */
  private def writeReplace(): AnyRef = {
    val sent = new IllegalArgumentException(getMessage, getCause)
    sent.setStackTrace(getStackTrace)
    getSuppressed.foreach(sent.addSuppressed)
    sent
  }
}

object Errors extends Sentences with DeltaErrors with CatalogErrors with MaintenanceErrors {

  // ---- the session ----

  def sparkVersion(found: String, wanted: String): ShreddedVariantException =
    error(
      "SPARK_VERSION",
      s"This jar works with Spark $wanted, but the session runs Spark $found: " +
        s"run it on Spark $wanted, or take the release of shredded-variant that fits Spark $found."
    )

  // ---- options ----

  def unknownOption(key: String, nearest: Option[String]): ShreddedVariantException =
    error(
      "UNKNOWN_OPTION",
      s"The option '$key' does not exist: " +
        nearest.fold("remove it, or see docs/options.md for the options there are.")(n =>
          s"did you mean '$n'?"
        )
    )

  def optionValue(key: String, value: String, allowed: String): ShreddedVariantException =
    error("OPTION_VALUE", s"The option '$key' has the value '$value': use $allowed.")

  def notInThisVersion(what: String, instead: String): ShreddedVariantException =
    error("NOT_IN_THIS_VERSION", s"$what is not part of this version: $instead.")

  def columnKey(key: String, reason: String): ShreddedVariantException =
    error(
      "OPTION_COLUMN",
      s"The option '$key' does not name a column ($reason): " +
        "write the column as in SQL, dotted when nested, with backticks where a name holds dots."
    )

  def noSuchColumn(
      key: String,
      column: String,
      nearest: Option[String],
      kind: String,
      others: Seq[String]
  ): ShreddedVariantException =
    error(
      "NO_SUCH_COLUMN",
      s"The option '$key' names the column '$column', which the data does not have: " +
        nearest.fold(s"the $kind columns are ${list(others)}.")(n => s"did you mean '$n'?")
    )

  def notAVariant(
      key: String,
      column: String,
      found: String,
      variants: Seq[String]
  ): ShreddedVariantException =
    error(
      "NOT_A_VARIANT",
      s"The option '$key' names the column '$column', which is $found and not a variant: " +
        s"the variant columns are ${list(variants)}."
    )

  def variantInCollection(key: String, column: String): ShreddedVariantException =
    error(
      "VARIANT_IN_COLLECTION",
      s"The option '$key' names '$column', a variant inside an array or a map: these are written unshredded, " +
        "so remove the option."
    )

  def notAMap(key: String, column: String, found: String, maps: Seq[String]): ShreddedVariantException =
    error(
      "NOT_A_MAP",
      s"The option '$key' names the column '$column', which is $found: " +
        s"name a map whose keys are strings, and these are ${list(maps)}."
    )

  def mapInCollection(key: String, column: String): ShreddedVariantException =
    error(
      "MAP_IN_COLLECTION",
      s"The option '$key' names '$column', a map inside an array or another map: these have no hot keys, " +
        "so remove the option."
    )

  def mapKeys(key: String, value: String, reason: String): ShreddedVariantException =
    error(
      "MAP_KEYS",
      s"The option '$key' has the value '${clip(value)}' ($reason): write the keys separated by commas, or as a JSON " +
        "array of strings where keys are empty, padded or hold commas."
    )

  def mapNotListed(key: String, column: String, columns: String): ShreddedVariantException =
    error(
      "MAP_NOT_LISTED",
      s"The option '$key' is for a map that '$columns' does not list: add $column there."
    )

  def mapNotInferred(key: String, infer: String): ShreddedVariantException =
    error("MAP_NOT_INFERRED", s"The option '$key' is for keys that the data chooses: set '$infer' to true.")

  def mapWithoutKeys(column: String, columns: String, keys: String, infer: String): ShreddedVariantException =
    error(
      "MAP_WITHOUT_KEYS",
      s"The option '$columns' lists the map '$column', which has no hot keys: give them with '$keys', " +
        s"or set '$infer' to true."
    )

  def bloom(key: String, of: String, reason: String): ShreddedVariantException =
    error(
      "BLOOM",
      s"The option '$key' asks for a bloom filter of '${clip(of)}', which $reason: name paths or hot keys that have a " +
        "column of their own in the files."
    )

  def bloomColumn(key: String, column: String, found: String, others: Seq[String]): ShreddedVariantException =
    error(
      "BLOOM_COLUMN",
      s"The option '$key' names the column '$column', which is $found: name a variant or a map whose keys are strings, " +
        s"and these are ${list(others)}; filters of other columns are switched on by " +
        s"'parquet.bloom.filter.enabled#$column'."
    )

  def reservedName(column: String): ShreddedVariantException =
    error(
      "RESERVED_NAME",
      s"The column '$column' has a name that files keep for hot keys of maps: give it another name."
    )

  def mapKeyTwice(column: String, key: String): ShreddedVariantException =
    error(
      "MAP_KEY_TWICE",
      s"The map '$column' has the hot key '${clip(key)}' twice in one row: " +
        "write each key once, for example with map_from_entries, or leave the key out of the hot keys."
    )

  def shape(text: String, at: Int, reason: String): ShreddedVariantException =
    error(
      "SHAPE",
      s"The shape '${clip(text)}' does not parse at character ${at + 1} ($reason): " +
        "write it as a Spark type, such as `a BIGINT, b STRUCT<c STRING>`, `ARRAY<DOUBLE>` or `DECIMAL(12,2)`."
    )

  def path(key: String, path: String, reason: String): ShreddedVariantException =
    error(
      "PATH",
      s"'$key' names the path '${clip(path)}', but $reason: write paths as `$$.user.id`, `$$['a.b']` or " +
        "`$.items[*].price`, separated by commas."
    )

  def unknownLimit(key: String, nearest: Option[String], known: Seq[String]): ShreddedVariantException =
    error(
      "UNKNOWN_LIMIT",
      s"shredding_shape knows no limit '$key': " +
        nearest.fold(s"there are ${list(known)}.")(n => s"did you mean '$n'?")
    )

  def limitsArgument(reason: String): ShreddedVariantException =
    error(
      "LIMITS",
      s"The limits of shredding_shape are $reason: give a constant map of strings, such as map('policy', 'majority')."
    )

  /** A warning: the result holds for the paths or keys that are known. */
  def pathsLeftOut(column: String): String =
    s"[SHREDDED_VARIANT_PATHS_LEFT_OUT] '$column' has more paths or keys, or longer names, than inference keeps count of: " +
      "what it finds rests on the others, those with few digits and short names first; name the shape or the hot keys " +
      "by options if it misses some."

  def inOption(key: String, cause: ShreddedVariantException): ShreddedVariantException =
    new ShreddedVariantException(
      cause.condition,
      s"In the option '$key': " + cause.getMessage.stripPrefix(s"[${cause.condition}] "),
      cause
    )

  // ---- tables ----

  def noPath(): ShreddedVariantException =
    error("NO_PATH", "No path was given: pass one to load(path) or save(path).")

  def noSchema(paths: String): ShreddedVariantException =
    error(
      "NO_SCHEMA",
      s"There is no Parquet file in '$paths' to take the columns from: give them with schema(…), or check the path."
    )

  def overwriteOfInput(path: String): ShreddedVariantException =
    error(
      "OVERWRITE_OF_INPUT",
      s"'$path' is read by the query that overwrites it, and would be empty before it is read: write to another path."
    )

  def temporaryFilesGone(directory: String): ShreddedVariantException =
    error(
      "TEMPORARY_FILES_GONE",
      s"The files of this write in '$directory' have been removed by another job while it ran: write again; if the " +
        s"driver was suspended for so long, set ${Options.KeepTemporary} to more in all writes to this directory."
    )

  /** A warning; `changed` is when the last file did. */
  def temporaryFilesRemoved(directory: String, changed: Long): String =
    s"[SHREDDED_VARIANT_TEMPORARY_FILES_REMOVED] '$directory' is removed: a write that did not end has left it, and " +
      s"nothing in it has changed since ${Instant.ofEpochMilli(changed)}."

  /** A warning. */
  def temporaryFilesStay(directory: String, cause: Throwable): String =
    s"[SHREDDED_VARIANT_TEMPORARY_FILES_STAY] What unfinished writes have left in '$directory' cannot be removed " +
      s"(${reason(cause)}): remove it when nobody writes there."

  def pins(file: String, reason: String): ShreddedVariantException =
    error(
      "PINNED_SHAPES",
      s"The table's shapes in '$file' cannot be used ($reason): mend the file, or remove it to let the next write decide."
    )

  // ---- files ----

  def notExclusive(directory: String): ShreddedVariantException =
    error(
      "NOT_EXCLUSIVE",
      s"The file system of '$directory' cannot guarantee that only one of several drivers creates a file, so a commit " +
        s"or a pinned shape could be lost unnoticed: set the option '${Options.SingleDriver}' to true if no other driver " +
        s"writes to the table, or '${Options.Pin}' to none for a directory of files."
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
      s"The column '$column' of '$file' has a logical type that is newer than this version of Parquet, which can then " +
        "read no column of the file: write the file without it, or read it with a Spark that knows the type.",
      cause
    )

  def fileSchema(file: String, cause: Throwable): ShreddedVariantException =
    error(
      "FILE_SCHEMA",
      s"Spark has no type for a column of the file '$file' (${reason(cause)}): " +
        "give the columns that you read with schema(…), and leave this one out.",
      cause
    )

  /** Whether the file is whole, and Spark cannot say what is in it. */
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

  def conflict(path: String, stored: String, what: String): ShreddedVariantException =
    error(
      "CONFLICT",
      s"At '$path' $stored and a typed column are both set and $what: the file breaks the shredding layout, so write it again."
    )

  def twoTyped(path: String): ShreddedVariantException =
    error(
      "CONFLICT",
      s"At '$path' two of object, array and typed_value are set, of which a value has one: " +
        "the file breaks the shredding layout, so write it again."
    )

  def tooDeep(column: String, limit: Int): ShreddedVariantException =
    error(
      "TOO_DEEP",
      s"The variant '$column' is nested deeper than $limit levels: raise the option maxVariantDepth if the file is to be trusted."
    )

  def tooLarge(path: String, limit: Long): ShreddedVariantException =
    error(
      "TOO_LARGE",
      s"A variant at '$path' is larger than $limit bytes: raise the option maxVariantBytes if the file is to be trusted."
    )

  def columnType(column: String, parquetType: String, wanted: String): ShreddedVariantException =
    error(
      "COLUMN_TYPE",
      s"The column '$column' is $parquetType in the file and cannot be read as $wanted: " +
        "read it with the type that the file has, and cast."
    )

  def ambiguousColumn(column: String, found: Seq[String]): ShreddedVariantException =
    error(
      "AMBIGUOUS_COLUMN",
      s"The column '$column' matches ${list(found)} in the file: set spark.sql.caseSensitive to true."
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
      s"The counts that inference left are damaged ($reason): remove them where they stand, or write the file again."
    )

  def damagedPages(file: String, column: String, cause: Throwable): ShreddedVariantException =
    error(
      "DAMAGED_PAGES",
      s"The column '$column' of the file '$file' cannot be decoded (${reason(cause)}): " +
        "write the file again, or leave the column out of the query.",
      cause
    )

  /** `ignoreCorruptFiles` leaves out what raises a RuntimeException or IOException: this is neither. */
  def decodingMemory(file: String, column: String, cause: OutOfMemoryError): SparkException =
    new SparkException(
      s"[SHREDDED_VARIANT_DECODING_MEMORY] The column '$column' of the file '$file' needs more memory to be decoded than " +
        s"there is (${reason(cause)}): give the executors more memory, or write the file again if its sizes are damaged.",
      cause
    )
}

/** What sentences are made of. */
private[shreddedvariant] trait Sentences {
  protected def error(what: String, sentence: String, cause: Throwable = null) =
    new ShreddedVariantException(s"SHREDDED_VARIANT_$what", sentence, cause)

  protected def list(names: Seq[String]): String =
    if (names.isEmpty) "none"
    else names.take(8).map(n => s"'$n'").mkString(", ") + (if (names.size > 8) ", …" else "")

  protected def clip(text: String): String = if (text.length <= 80) text else text.take(77) + "…"

  /** The first line of what went wrong. */
  def reason(cause: Throwable): String = {
    val text = Option(cause.getMessage).getOrElse(cause.getClass.getSimpleName)
    clip(text.linesIterator.nextOption().getOrElse("").stripSuffix("."))
  }
}
