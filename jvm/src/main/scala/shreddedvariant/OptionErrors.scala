/** The error sentences about options, shapes and paths, a part of [[Errors]]. */
package shreddedvariant

private[shreddedvariant] trait OptionErrors extends Sentences {
  def unknownOption(key: String, nearest: Option[String]): ShreddedVariantException =
    error(
      "UNKNOWN_OPTION",
      s"The option '$key' does not exist: " +
        nearest.fold("remove it, or see docs/options.md for all options.")(n =>
          s"did you mean '$n'?"
        )
    )

  def optionValue(key: String, value: String, allowed: String): ShreddedVariantException =
    error("OPTION_VALUE", s"The option '$key' has the value '$value': use $allowed.")

  def notInThisVersion(feature: String, instead: String): ShreddedVariantException =
    error("NOT_IN_THIS_VERSION", s"$feature is not part of this version: $instead.")

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
      dataType: String,
      variants: Seq[String]
  ): ShreddedVariantException =
    error(
      "NOT_A_VARIANT",
      s"The option '$key' names the column '$column', which is $dataType and not a variant: " +
        s"the variant columns are ${list(variants)}."
    )

  def variantInCollection(key: String, column: String): ShreddedVariantException =
    error(
      "VARIANT_IN_COLLECTION",
      s"The option '$key' names '$column', a variant inside an array or a map: these are written unshredded, " +
        "so remove the option."
    )

  def notAMap(key: String, column: String, dataType: String, maps: Seq[String]): ShreddedVariantException =
    error(
      "NOT_A_MAP",
      s"The option '$key' names the column '$column', which is $dataType: " +
        s"name a map whose keys are strings; the maps are ${list(maps)}."
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

  def bloom(key: String, target: String, reason: String): ShreddedVariantException =
    error(
      "BLOOM",
      s"The option '$key' asks for a bloom filter of '${clip(target)}', which $reason: name paths or hot keys that have a " +
        "column of their own in the files."
    )

  def bloomColumn(
      key: String,
      column: String,
      dataType: String,
      others: Seq[String]
  ): ShreddedVariantException =
    error(
      "BLOOM_COLUMN",
      s"The option '$key' names the column '$column', which is $dataType: name a variant or a map whose keys are strings; " +
        s"these are ${list(others)}; filters of other columns are switched on by " +
        s"'parquet.bloom.filter.enabled#$column'."
    )

  def reservedName(column: String): ShreddedVariantException =
    error(
      "RESERVED_NAME",
      s"The column '$column' has a name that is reserved for hot keys of maps: rename the column."
    )

  def mapKeyTwice(column: String, key: String): ShreddedVariantException =
    error(
      "MAP_KEY_TWICE",
      s"The map '$column' has the hot key '${clip(key)}' twice in one row: " +
        "write each key once, for example with map_from_entries, or leave the key out of the hot keys."
    )

  def shape(text: String, position: Int, reason: String): ShreddedVariantException =
    error(
      "SHAPE",
      s"The shape '${clip(text)}' does not parse at character ${position + 1} ($reason): " +
        "write it as a Spark type, such as `a BIGINT, b STRUCT<c STRING>`, `ARRAY<DOUBLE>` or `DECIMAL(12,2)`."
    )

  def path(key: String, path: String, reason: String): ShreddedVariantException =
    error(
      "PATH",
      s"'$key' names the path '${clip(path)}', but $reason: write paths as `$$.user.id`, `$$['a.b']` or " +
        "`$.items[*].price`, separated by commas."
    )

  def unknownLimit(key: String, nearest: Option[String], limits: Seq[String]): ShreddedVariantException =
    error(
      "UNKNOWN_LIMIT",
      s"shredding_shape has no limit '$key': " +
        nearest.fold(s"the limits are ${list(limits)}.")(n => s"did you mean '$n'?")
    )

  def limitsArgument(reason: String): ShreddedVariantException =
    error(
      "LIMITS",
      s"The limits of shredding_shape are $reason: give a constant map of strings, such as map('policy', 'majority')."
    )

  /** A warning: the result is based on the paths or keys that inference counts. */
  def pathsLeftOut(column: String): String =
    s"[SHREDDED_VARIANT_PATHS_LEFT_OUT] '$column' has more paths or keys, or longer names, than inference counts: " +
      "the result is based on the others, and names that are short and have few digits come first; set the shape or " +
      "the hot keys with options if the result lacks some."

  def inOption(key: String, cause: ShreddedVariantException): ShreddedVariantException =
    new ShreddedVariantException(
      cause.condition,
      s"In the option '$key': " + cause.getMessage.stripPrefix(s"[${cause.condition}] "),
      cause
    )
}
