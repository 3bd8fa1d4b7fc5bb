/** All errors and warnings: each method gives the parameters of a sentence in `error-conditions.json`. */
package shreddedvariant

import java.time.Instant

import org.apache.spark.SparkException

object Errors {

  // ---- the session, tables of files ----

  def sparkVersion(running: String, supported: String) =
    error("SPARK_VERSION", "running" -> running, "supported" -> supported)
  def noPath() = error("NO_PATH")
  def noSchema(paths: String) = error("NO_SCHEMA", "paths" -> paths)
  def overwriteOfInput(path: String) = error("OVERWRITE_OF_INPUT", "path" -> path)
  def pins(file: String, reason: String) = error("PINNED_SHAPES", "file" -> file, "reason" -> reason)
  def temporaryFilesGone(directory: String) =
    error("TEMPORARY_FILES_GONE", "directory" -> directory, "option" -> Options.KeepTemporary)

  /** A warning; `changed` is the modification time of the newest file, in milliseconds. */
  def temporaryFilesRemoved(directory: String, changed: Long): String =
    message("TEMPORARY_FILES_REMOVED", "directory" -> directory, "changed" -> Instant.ofEpochMilli(changed))

  /** A warning. */
  def temporaryFilesStay(directory: String, cause: Throwable): String =
    message("TEMPORARY_FILES_STAY", "directory" -> directory, "reason" -> reason(cause))

  // ---- tables of a catalog ----

  def notOnePath(paths: Seq[String]) = error("NOT_ONE_PATH", "paths" -> list(paths))
  def partitionCondition(path: String, condition: String, columns: Seq[String]) =
    error("PARTITION_CONDITION", "path" -> path, "condition" -> clip(condition), "columns" -> list(columns))
  def outsideOfPartition(path: String, column: String, value: String) =
    error("OUTSIDE_OF_PARTITION", "path" -> path, "column" -> column, "value" -> value)
  def tableColumn(column: String, refusal: String, instead: String) =
    error("TABLE_COLUMN", "column" -> column, "refusal" -> refusal, "instead" -> instead)
  def onlyPartitionColumns(table: String) = error("ONLY_PARTITION_COLUMNS", "table" -> table)
  def tablePartitioning(transform: String) = error("TABLE_PARTITIONING", "transform" -> transform)
  def deltaTableColumns(path: String, table: String) =
    error("DELTA_TABLE_COLUMNS", "path" -> path, "table" -> table)

  // ---- options, shapes and paths ----

  def unknownOption(key: String, nearest: Option[String]) = {
    val hint = didYouMean(nearest, "remove it, or see docs/options.md for all options.")
    error("UNKNOWN_OPTION", "key" -> key, "hint" -> hint)
  }
  def optionValue(key: String, value: String, allowed: String) =
    error("OPTION_VALUE", "key" -> key, "value" -> value, "allowed" -> allowed)
  def notInThisVersion(feature: String, instead: String) =
    error("NOT_IN_THIS_VERSION", "feature" -> feature, "instead" -> instead)
  def maintenanceOption(key: String, reason: String) =
    error("MAINTENANCE_OPTION", "key" -> key, "reason" -> reason)
  def columnKey(key: String, reason: String) = error("OPTION_COLUMN", "key" -> key, "reason" -> reason)
  def noSuchColumn(key: String, column: String, nearest: Option[String], kind: String, names: Seq[String]) = {
    val hint = didYouMean(nearest, s"the $kind columns are ${list(names)}.")
    error("NO_SUCH_COLUMN", "key" -> key, "column" -> column, "hint" -> hint)
  }
  def notAVariant(key: String, column: String, dataType: String, variants: Seq[String]) =
    error("NOT_A_VARIANT", "key" -> key, "column" -> column, "type" -> dataType, "others" -> list(variants))
  def variantInCollection(key: String, column: String) =
    error("VARIANT_IN_COLLECTION", "key" -> key, "column" -> column)
  def notAMap(key: String, column: String, dataType: String, maps: Seq[String]) =
    error("NOT_A_MAP", "key" -> key, "column" -> column, "type" -> dataType, "maps" -> list(maps))
  def mapInCollection(key: String, column: String) =
    error("MAP_IN_COLLECTION", "key" -> key, "column" -> column)
  def mapKeys(key: String, value: String, reason: String) =
    error("MAP_KEYS", "key" -> key, "value" -> clip(value), "reason" -> reason)
  def mapNotListed(key: String, column: String, columns: String) =
    error("MAP_NOT_LISTED", "key" -> key, "column" -> column, "columns" -> columns)
  def mapNotInferred(key: String, infer: String) = error("MAP_NOT_INFERRED", "key" -> key, "infer" -> infer)
  def mapWithoutKeys(column: String, columns: String, keys: String, infer: String) =
    error("MAP_WITHOUT_KEYS", "column" -> column, "columns" -> columns, "keys" -> keys, "infer" -> infer)
  def bloom(key: String, target: String, reason: String) =
    error("BLOOM", "key" -> key, "target" -> clip(target), "reason" -> reason)
  def bloomColumn(key: String, column: String, dataType: String, others: Seq[String]) =
    error("BLOOM_COLUMN", "key" -> key, "column" -> column, "type" -> dataType, "others" -> list(others))
  def reservedName(column: String) = error("RESERVED_NAME", "column" -> column)
  def mapKeyTwice(column: String, key: String) =
    error("MAP_KEY_TWICE", "column" -> column, "key" -> clip(key))
  def shape(text: String, position: Int, reason: String) = {
    val examples = "`a BIGINT, b STRUCT<c STRING>`, `ARRAY<DOUBLE>` or `DECIMAL(12,2)`"
    val at = position + 1
    error("SHAPE", "text" -> clip(text), "position" -> at, "reason" -> reason, "examples" -> examples)
  }
  def path(key: String, path: String, reason: String) =
    error("PATH", "key" -> key, "path" -> clip(path), "reason" -> reason)
  def unknownLimit(key: String, nearest: Option[String], limits: Seq[String]) =
    error("UNKNOWN_LIMIT", "key" -> key, "hint" -> didYouMean(nearest, s"the limits are ${list(limits)}."))
  def limitsArgument(reason: String) = error("LIMITS", "reason" -> reason)
  def inOption(key: String, cause: ShreddedVariantException) = within(s"In the option '$key'", cause)

  /** A warning: the result is based on the paths or keys that inference counts. */
  def pathsLeftOut(column: String): String = message("PATHS_LEFT_OUT", "column" -> column)

  // ---- files ----

  def notExclusive(directory: String) =
    error("NOT_EXCLUSIVE", "directory" -> directory, "driver" -> Options.SingleDriver, "pin" -> Options.Pin)
  def storeConflict(file: String, cause: Throwable) =
    error("STORE_CONFLICT", cause, "file" -> file, "reason" -> reason(cause))
  def noLinks(file: String, cause: Throwable) =
    error("NO_LINKS", cause, "file" -> file, "reason" -> reason(cause))
  def notParquet(file: String, cause: Throwable) =
    error("NOT_PARQUET", cause, "file" -> file, "reason" -> reason(cause))
  def unknownType(file: String, column: String, cause: Throwable) =
    error("UNKNOWN_TYPE", cause, "file" -> file, "column" -> column)
  def fileSchema(file: String, cause: Throwable) =
    error("FILE_SCHEMA", cause, "file" -> file, "reason" -> reason(cause))

  /** Whether the error says that Spark lacks a type of the file; the file itself is not damaged. */
  def isOfTypes(e: ShreddedVariantException): Boolean = e.condition == "SHREDDED_VARIANT_FILE_SCHEMA"

  def columnType(column: String, parquetType: String, target: String) =
    error("COLUMN_TYPE", "column" -> column, "type" -> parquetType, "target" -> target)
  def ambiguousColumn(column: String, matches: Seq[String]) =
    error("AMBIGUOUS_COLUMN", "column" -> column, "matches" -> list(matches))
  def malformedLayout(column: String, reason: String) =
    error("MALFORMED_LAYOUT", "column" -> column, "reason" -> reason)
  def unsupportedType(column: String, parquetType: String) =
    error("UNSUPPORTED_TYPE", "column" -> column, "type" -> parquetType)
  def malformedMap(column: String, reason: String) =
    error("MALFORMED_MAP", "column" -> column, "reason" -> reason)
  def unnamedHotKeys(column: String, sidecars: Int, option: String) =
    error("UNNAMED_HOT_KEYS", "column" -> column, "sidecars" -> sidecars, "option" -> option)
  def counts(reason: String) = error("COUNTS", "reason" -> reason)
  def damagedPages(file: String, column: String, cause: Throwable) =
    error("DAMAGED_PAGES", cause, "file" -> file, "column" -> column, "reason" -> reason(cause))

  /**
   * A SparkException, because `ignoreCorruptFiles` skips files that raise a RuntimeException or IOException.
   * Without the cause, because an executor exits if a fatal error is among the causes of an exception.
   */
  def decodingMemory(file: String, column: String, cause: OutOfMemoryError): SparkException = {
    val text = message("DECODING_MEMORY", "file" -> file, "column" -> column, "reason" -> reason(cause))
    new SparkException(text, null)
  }

  /** Without the StackOverflowError, see [[decodingMemory]]. */
  def schemaTooDeep(file: String) = error("SCHEMA_TOO_DEEP", "file" -> file)

  def inFile(file: String, row: Option[Long], cause: ShreddedVariantException) =
    within(s"In the file '$file'${row.fold("")(r => s", row $r")}", cause)

  // ---- values in files ----

  def malformedValue(path: String, reason: String) =
    error("MALFORMED_VALUE", "path" -> path, "reason" -> reason)
  def conflict(path: String, stored: String, problem: String) =
    error("CONFLICT", "path" -> path, "conflict" -> s"$stored and a typed column are both set and $problem")
  def twoTyped(path: String) = {
    val conflict = "two of object, array and typed_value are set, but a value has only one of them"
    error("CONFLICT", "path" -> path, "conflict" -> conflict)
  }
  def storedObject(path: String) = {
    val conflict =
      "an object is stored in value and its typed column is null, so readers of its shredded keys miss them"
    error("CONFLICT", "path" -> path, "conflict" -> conflict)
  }
  def tooDeep(column: String, limit: Int) = error("TOO_DEEP", "column" -> column, "limit" -> limit)
  def shreddedTooDeep(column: String, limit: Int) =
    error("SHREDDED_TOO_DEEP", "column" -> column.take(80), "limit" -> limit)
  def tooLarge(path: String, limit: Long) =
    error("TOO_LARGE", "what" -> "A variant", "path" -> path, "limit" -> limit)
  def textTooLarge(path: String, limit: Long) =
    error("TOO_LARGE", "what" -> "The JSON text of a variant", "path" -> path, "limit" -> limit)

  // ---- Delta tables ----

  def deltaRoute(path: String, route: String) = error("DELTA_ROUTE", "path" -> path, "route" -> route)
  def insideDelta(path: String, table: String) = error("INSIDE_DELTA_TABLE", "path" -> path, "table" -> table)
  def deltaAmongOthers(path: String) = error("DELTA_AMONG_OTHERS", "path" -> path)
  def deltaLog(path: String, cause: Throwable) =
    error("DELTA_LOG", cause, "path" -> path, "reason" -> reason(cause))
  def deltaUncommitted(path: String) = error("DELTA_UNCOMMITTED", "path" -> path)
  def deltaVersion(path: String, version: String, cause: Throwable) =
    error("DELTA_VERSION", cause, "path" -> path, "version" -> version, "reason" -> reason(cause))
  def deltaFeature(path: String, feature: String, how: String, instead: String) =
    error("DELTA_FEATURE", "path" -> path, "feature" -> feature, "how" -> how, "instead" -> instead)
  def deltaRowTracking(path: String) = {
    val instead = "use OPTIMIZE of format(\"delta\"), which keeps the ids of rows"
    deltaFeature(path, "delta.enableRowTracking", "rewritten", instead)
  }
  def deltaAppendOnly(path: String) = error("DELTA_APPEND_ONLY", "path" -> path)
  def deltaSchema(path: String) = error("DELTA_SCHEMA", "path" -> path)
  def onlyDelta(key: String) = error("ONLY_DELTA", "key" -> key)
  def deltaOption(path: String, key: String, reason: String) =
    error("DELTA_OPTION", "path" -> path, "key" -> key, "reason" -> reason)
  def deltaConflict(path: String, reason: String) =
    error("DELTA_CONFLICT", "path" -> path, "reason" -> reason)
  def deltaCommit(path: String, cause: Throwable) =
    error("DELTA_COMMIT", cause, "path" -> path, "reason" -> reason(cause))

  /** Whether the commit that failed with this error may be part of the table. */
  def mayHaveCommitted(e: ShreddedVariantException): Boolean = e.condition == "SHREDDED_VARIANT_DELTA_COMMIT"

  def deltaReplaceWhere(path: String, condition: String, partition: String) =
    error("DELTA_REPLACE_WHERE", "path" -> path, "condition" -> clip(condition), "partition" -> partition)
  def deltaCondition(path: String, condition: String, reason: String) =
    error("DELTA_CONDITION", "path" -> path, "condition" -> clip(condition), "reason" -> reason)
  def deltaPartitioning(path: String, columns: Seq[String], written: Seq[String]) =
    error("DELTA_PARTITIONING", "path" -> path, "columns" -> list(columns), "written" -> list(written))
  def deltaColumns(path: String, added: Seq[String]) =
    error("DELTA_COLUMNS", "path" -> path, "added" -> list(added))
  def deltaOverFiles(path: String) = error("DELTA_OVER_FILES", "path" -> path)
  def deltaShredding(path: String, key: String, property: String) =
    error("DELTA_SHREDDING_OFF", "path" -> path, "key" -> key, "property" -> property)
  def deltaPin(path: String, key: String, text: String, cause: Throwable) =
    error("DELTA_PIN", cause, "path" -> path, "key" -> key, "text" -> clip(text), "reason" -> reason(cause))
  def deltaStreamVersion(path: String, version: Long) =
    error("DELTA_STREAM_VERSION", "path" -> path, "version" -> version)
  def deltaStreamOffset(path: String, offset: String, reason: String) =
    error("DELTA_STREAM_OFFSET", "path" -> path, "offset" -> clip(offset), "reason" -> reason)
  def deltaStreamColumns(path: String, version: Long) =
    error("DELTA_STREAM_COLUMNS", "path" -> path, "version" -> version)
  def deltaStreamRemoval(path: String, version: Long, hasRows: Boolean) = {
    val (change, other) =
      if (hasRows) ("removes rows and adds others", "ignoreChanges to read the files that they add")
      else ("removes rows", "ignoreDeletes")
    error("DELTA_STREAM_REMOVAL", "path" -> path, "version" -> version, "change" -> change, "other" -> other)
  }

  // ---- how they are made ----

  private def error(name: String, parameters: (String, Any)*): ShreddedVariantException =
    error(name, null: Throwable, parameters: _*)

  private def error(name: String, cause: Throwable, parameters: (String, Any)*): ShreddedVariantException = {
    val condition = s"SHREDDED_VARIANT_$name"
    new ShreddedVariantException(condition, ErrorConditions.sentence(condition, parameters.toMap), cause)
  }

  /** The text of a warning, or of an error of another class. */
  private def message(name: String, parameters: (String, Any)*): String = {
    val condition = s"SHREDDED_VARIANT_$name"
    s"[$condition] ${ErrorConditions.sentence(condition, parameters.toMap)}"
  }

  /** The error of a part of a file or of the options, with its place. */
  private def within(place: String, cause: ShreddedVariantException): ShreddedVariantException =
    new ShreddedVariantException(cause.condition, s"$place: ${cause.sentence}", cause)

  private def didYouMean(nearest: Option[String], otherwise: String): String =
    nearest.fold(otherwise)(name => s"did you mean '$name'?")

  private def list(names: Seq[String]): String =
    if (names.isEmpty) "none"
    else names.take(8).map(n => s"'$n'").mkString(", ") + (if (names.size > 8) ", …" else "")

  private def clip(text: String): String = if (text.length <= 80) text else text.take(77) + "…"

  /** The first line of the message of a cause, at most 80 characters. */
  def reason(cause: Throwable): String = {
    val text = Option(cause.getMessage).getOrElse(cause.getClass.getSimpleName)
    clip(text.linesIterator.nextOption().getOrElse("").stripSuffix("."))
  }
}
