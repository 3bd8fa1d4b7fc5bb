/** Every option: its key, its default, what it means. Parsed here, refused here when it cannot be meant. */
package shreddedvariant

import java.util.Locale
import java.util.concurrent.TimeUnit

import shreddedvariant.layout.WriteLayout

object Options {
  val SessionPrefix = "spark.datasource.shredded_variant."

  val Shredding = "shredding"
  val ShapePrefix = "shredding.shape."
  val IncludePrefix = "shredding.include."
  val ExcludePrefix = "shredding.exclude."
  val Policy = "shredding.policy"
  val MinFieldFrequency = "shredding.minFieldFrequency"
  val MaxFields = "shredding.maxFields"
  val MaxDepth = "shredding.maxDepth"
  val MaxIntermediateFields = "shredding.maxIntermediateFields"
  val SampleRows = "shredding.sampleRows"
  val SampleBytes = "shredding.sampleBytes"
  val Pin = "shredding.pin"
  val PinMinRows = "shredding.pinMinRows"
  val Layout = "layout"
  val Table = "table"
  val KeepTemporary = "keepTemporary"
  val Compression = "compression"
  val MergeSchema = "mergeSchema"
  val MaxVariantBytes = "maxVariantBytes"
  val MaxVariantDepth = "maxVariantDepth"
  val LateMaterialization = "lateMaterialization"
  val VersionAsOf = "versionAsOf"
  val TimestampAsOf = "timestampAsOf"
  val OverwriteSchema = "overwriteSchema"
  val ReplaceWhere = "replaceWhere"
  val SingleDriver = "singleDriver"

  /** With all that begins like it, what maintenance says to the format: no option of people. */
  val Maintenance = "maintenance"
  def isMaintenance(key: String): Boolean =
    key.equalsIgnoreCase(Maintenance) || key.toLowerCase(Locale.ROOT).startsWith(Maintenance + ".")
  val MapColumns = "parquet.map.shredding.columns"
  val MapKeys: OptionDoc = OptionDoc(
    "parquet.map.shredding.<column>.keys",
    "–",
    "The hot keys of a map: comma separated and trimmed, or a JSON array for keys that are empty, padded or hold commas. " +
      "Read: the keys of files with such columns whose footers do not name them."
  )
  val MapInfer: OptionDoc = OptionDoc(
    "parquet.map.shredding.<column>.infer",
    "false",
    "Whether the data chooses hot keys: of the keys that are frequent enough, those that hold most bytes. Each file " +
      "looks at its first rows, as many as inference may hold back, until the table keeps the keys (`shredding.pin`). Keys " +
      "that are given stay hot."
  )
  val MapMaxKeys: OptionDoc =
    OptionDoc("parquet.map.shredding.<column>.maxKeys", "64", "Inference: how many keys of a map are hot.")
  val MapMinFrequency: OptionDoc = OptionDoc(
    "parquet.map.shredding.<column>.minFrequency",
    "0.10",
    "Inference: how many maps must have a value for a key, as a share of those that are not null."
  )
  val Bloom: OptionDoc = OptionDoc(
    "bloom.<column>",
    "–",
    "The paths of a variant, written as in `shredding.include`, or the hot keys of a map, written as in `….keys`, that " +
      "get a bloom filter in each row group, where a file has a column of its own for them: a search for a value then " +
      "skips row groups that do not hold it. Filters are as large as their values need."
  )

  /** Spark lets no variant grow beyond this, see `VariantUtil.SIZE_LIMIT`. */
  val DefaultMaxVariantBytes: Int = 128 * 1024 * 1024
  val DefaultMaxVariantDepth = 1000
  val DefaultPinMinRows = 1000L

  val all: Seq[OptionDoc] = Seq(
    OptionDoc(
      Shredding,
      "infer",
      "For every variant column: `infer` (each file gets the shape that its first rows suggest) or `off` (unshredded)."
    ),
    OptionDoc(
      ShapePrefix + "<column>",
      "–",
      "For one column: `infer`, `off`, or the shape as a Spark type, such as `a BIGINT, b STRUCT<c STRING>`; also " +
        "`UUID`, `TIME`, `TIMESTAMP_NANOS` and `TIMESTAMP_NTZ_NANOS`. The column is a Spark identifier, dotted when " +
        "nested in a struct, with backticks where a name holds dots."
    ),
    OptionDoc(
      IncludePrefix + "<column>",
      "–",
      "Paths that are shredded beside what inference finds, whatever their frequency: `$.user.id, $.tags`. A key that " +
        "holds a dot, a comma or a bracket is written `$['a.b']`; `$.items[*].price` goes through the elements of an " +
        "array. What is below such a path is measured by the path's own values. A path that is never seen stays untyped."
    ),
    OptionDoc(
      ExcludePrefix + "<column>",
      "–",
      "Paths that inference never shreds, with all below them, written as above. What is excluded stays so if it is " +
        "included as well."
    ),
    OptionDoc(
      Policy,
      "equivalence",
      "How inference picks a type. `equivalence`: integers and decimals count as one, and a path gets its most " +
        "frequent kind of values that reaches the frequency. `majority`: the rules of Iceberg's shredding analyser."
    ),
    OptionDoc(
      MinFieldFrequency,
      "0.10",
      "Inference: how many values a path must have, as a share of the column's values that are not null."
    ),
    OptionDoc(
      MaxFields,
      "300",
      "Inference: how many fields of one object are shredded, the most frequent first."
    ),
    OptionDoc(MaxDepth, "50", "Inference: how many steps a shredded path may have, up to 100."),
    OptionDoc(
      MaxIntermediateFields,
      "1000",
      "Inference: how many fields of one object are looked at, the most frequent first."
    ),
    OptionDoc(
      SampleRows,
      "4096",
      "Inference: how many rows one writer may hold back before it decides; a file's shape is that of its first rows."
    ),
    OptionDoc(
      SampleBytes,
      "64m",
      "Inference: how many bytes these rows may have; the row that reaches either bound is the last one held back."
    ),
    OptionDoc(
      Pin,
      "table",
      "`table`: a column keeps its first shape, which stands with the table in `_shredding/shapes.json`, or in the property " +
        "`shredded_variant.shape.<column>` of a Delta table, and is reused by later writes; people may edit it. Hot keys " +
        "that are inferred are kept likewise. `none`: each file decides for itself."
    ),
    OptionDoc(
      PinMinRows,
      "1000",
      "How many values an inferred shape must rest on to be kept for later writes."
    ),
    OptionDoc(
      Layout,
      "parquet",
      "How shredded variants are laid out. `parquet`: today's Parquet shredding layout; `draft`: the earlier layout, with " +
        "`untyped_value`. Readers know both, whatever the option says."
    ),
    OptionDoc(
      Table,
      "files",
      "`files`: a directory of Parquet files; `delta`: a Delta table. An existing one is recognised by its log."
    ),
    OptionDoc(
      MapColumns,
      "–",
      "The map columns whose hot keys get columns of their own, comma separated; each written as in `shredding.shape`. " +
        "Their keys must be strings."
    ),
    MapKeys,
    MapInfer,
    MapMaxKeys,
    MapMinFrequency,
    Bloom,
    OptionDoc(
      KeepTemporary,
      "1d",
      "Files of a directory: how long files stay in `_temporary` that a write which was killed has left. The next write to " +
        "the directory removes them when nothing there has changed for so long, at least `1h`, and says so in the driver's log."
    ),
    OptionDoc(Compression, "zstd", "The codec of the files, as for Spark's `parquet`."),
    OptionDoc(
      MergeSchema,
      "–",
      "Whether the columns of all files are brought together on read, as for Spark's `parquet`; on a write to a Delta " +
        "table, whether columns that it lacks are added to it."
    ),
    OptionDoc(MaxVariantBytes, "128m", "Read: a rebuilt variant beyond this size is refused."),
    OptionDoc(MaxVariantDepth, "1000", "Read: a variant that is shredded deeper than this is refused."),
    OptionDoc(
      LateMaterialization,
      "true",
      "Read: whether a filter may be evaluated before the other columns are read, for rows that survive it."
    ),
    OptionDoc(
      OverwriteSchema,
      "false",
      "On an overwrite of a Delta table: whether it gets the columns and partition columns of what is written."
    ),
    OptionDoc(
      ReplaceWhere,
      "–",
      "On an overwrite of a Delta table: a condition on its partition columns that chooses what is replaced."
    ),
    OptionDoc(
      SingleDriver,
      "false",
      "Write: whether no other driver writes to the table meanwhile. Needed on file systems that cannot create a file for " +
        "one of several drivers alone: see delta.md."
    ),
    OptionDoc(VersionAsOf, "–", "Read a Delta table as it was at this version."),
    OptionDoc(
      TimestampAsOf,
      "–",
      "Read a Delta table as it was at this time, such as `2026-01-31 12:00:00` in the session's time zone."
    )
  ) ++ StreamOptions.all

  /** Keys that Spark's own file sources know: never taken for a slip of the pen. */
  private val ofSpark = Set(
    "path",
    "paths",
    "basepath",
    "pathglobfilter",
    "recursivefilelookup",
    "modifiedbefore",
    "modifiedafter",
    "datetimerebasemode",
    "int96rebasemode",
    "ignorecorruptfiles",
    "ignoremissingfiles",
    "partitionoverwritemode",
    "timezone",
    "mergeschema",
    "compression"
  )

  /** Keys without a dot that the contract names: what lies within two edits of one is a slip of the pen. */
  private def bare: Seq[String] =
    all.map(_.key).filterNot(_.contains('.')) ++ Seq(
      "pathGlobFilter",
      "recursiveFileLookup",
      "modifiedBefore",
      "modifiedAfter"
    )

  private val ownSpaces = Seq("shredding", "parquet.map", "bloom")

  /** Refuses keys that nobody knows but that look like ours; other keys pass, as Spark lets them. */
  def check(options: Map[String, String]): Unit = {
    options.keys.toSeq.sorted.foreach(checkKey)
    onlyValue(options, Shredding, Seq("infer", "off"), later = Nil)
    onlyValue(options, Layout, Seq("parquet", "draft"), later = Nil)
    onlyValue(options, Table, Seq("files", "delta"), later = Nil)
    checkLimits(options)
    sampleRows(options)
    sampleBytes(options)
    onlyValue(options, Pin, Seq("table", "none"), later = Nil)
    pinMinRows(options)
    keepTemporary(options)
    maxVariantBytes(options)
    maxVariantDepth(options)
    get(options, VersionAsOf).foreach(version(_))
    for (key <- Seq(OverwriteSchema, LateMaterialization, SingleDriver) ++ StreamOptions.switches)
      onlyValue(options, key, Seq("true", "false"), later = Nil)
  }

  private def checkKey(key: String): Unit = {
    val lower = key.toLowerCase(Locale.ROOT)
    if (isMaintenance(key)) throw Errors.maintenanceOption(key, "it works with load and save of theirs alone")
    val known =
      ofSpark(lower) || all.exists(_.isKey(lower))
    if (!known) {
      val inOwnSpace = ownSpaces.exists(space => lower == space || lower.startsWith(space + "."))
      val head = lower.takeWhile(_ != '.')
      val looksLikeOurs =
        if (lower == head) nearest(lower, bare, 2).isDefined
        else nearest(head, Seq("shredding", "bloom"), 2).isDefined && head != "shredding" && head != "bloom"
      if (inOwnSpace || looksLikeOurs)
        throw Errors.unknownOption(key, nearest(lower, bare ++ all.map(_.key), math.max(2, lower.length / 2)))
    }
  }

  /** The candidate with the fewest edits from `word`, if that needs at most `edits`. */
  def nearest(word: String, candidates: Seq[String], edits: Int): Option[String] =
    candidates.map(c => (OptionDoc(c, "", "").edits(word), c)).filter(_._1 <= edits).minByOption(_._1).map(
      _._2
    )

  def get(options: Map[String, String], key: String): Option[String] =
    options.collectFirst { case (k, value) if k.equalsIgnoreCase(key) => value }

  private def onlyValue(
      options: Map[String, String],
      key: String,
      allowed: Seq[String],
      later: Seq[String]
  ): Unit =
    get(options, key).foreach { value =>
      if (later.exists(_.equalsIgnoreCase(value)))
        throw Errors.notInThisVersion(
          s"The option '$key' with the value '$value'",
          s"use ${allowed.mkString(" or ")}"
        )
      if (!allowed.exists(_.equalsIgnoreCase(value)))
        throw Errors.optionValue(key, value, allowed.mkString(" or "))
    }

  def layout(options: Map[String, String]): WriteLayout =
    get(options, Layout).fold[WriteLayout](WriteLayout.Parquet)(value =>
      WriteLayout.all(value.toLowerCase(Locale.ROOT))
    )

  /** Whether a table is to be one of Delta. */
  def isDelta(options: Map[String, String]): Boolean = get(options, Table).exists(_.equalsIgnoreCase("delta"))

  def lateMaterialization(options: Map[String, String]): Boolean =
    !get(options, LateMaterialization).exists(_.equalsIgnoreCase("false"))

  /** Whether variant columns are shredded at all where no shape says otherwise. */
  def isShreddingOff(options: Map[String, String]): Boolean =
    get(options, Shredding).exists(_.equalsIgnoreCase("off"))

  /** Whether shapes are neither kept with the table nor taken from there. */
  def isUnpinned(options: Map[String, String]): Boolean = get(options, Pin).exists(_.equalsIgnoreCase("none"))

  def pinMinRows(options: Map[String, String]): Long =
    get(options, PinMinRows).fold(DefaultPinMinRows) { value =>
      value.trim.toLongOption.filter(_ >= 1).getOrElse(throw Errors.optionValue(
        PinMinRows,
        value,
        "a number from 1 on"
      ))
    }

  /** In milliseconds. The least is four times what a driver may take to say that it lives, see `JobDirectory`. */
  def keepTemporary(options: Map[String, String]): Long = {
    val value = get(options, KeepTemporary).getOrElse("1d")
    val millis =
      try org.apache.spark.network.util.JavaUtils.timeStringAs(value, TimeUnit.MILLISECONDS)
      catch { case _: NumberFormatException => -1L }
    if (millis < TimeUnit.HOURS.toMillis(1))
      throw Errors.optionValue(KeepTemporary, value, "a time from 1h on, such as 1d")
    millis
  }

  /** The limits of inference, which `shredding_shape` knows as well. */
  val limits: Seq[String] = Seq(Policy, MinFieldFrequency, MaxFields, MaxDepth, MaxIntermediateFields)

  def checkLimits(options: Map[String, String]): Unit = {
    onlyValue(options, Policy, Seq("equivalence", "majority"), later = Nil)
    minFieldFrequency(options)
    Seq(MaxFields, MaxDepth, MaxIntermediateFields).foreach(inferenceLimit(options, _))
  }

  def policy(options: Map[String, String]): Option[String] = get(options, Policy)

  def minFieldFrequency(options: Map[String, String]): Option[Double] =
    get(options, MinFieldFrequency).map { value =>
      // NaN is in no range.
      value.trim.toDoubleOption.filter(f => f >= 0 && f <= 1).getOrElse(throw Errors.optionValue(
        MinFieldFrequency,
        value,
        "a number from 0 to 1"
      ))
    }

  /** What the three limits can be at most: counts know no deeper path, and no more fields of an object. */
  private val mostOf = Map(MaxFields -> 100000, MaxDepth -> 100, MaxIntermediateFields -> 100000)

  /** One of `maxFields`, `maxDepth` and `maxIntermediateFields`. */
  def inferenceLimit(options: Map[String, String], key: String): Option[Int] =
    get(options, key).map { value =>
      value.trim.toIntOption.filter(n => n >= 1 && n <= mostOf(key)).getOrElse(throw Errors.optionValue(
        key,
        value,
        s"a number from 1 to ${mostOf(key)}"
      ))
    }

  def sampleRows(options: Map[String, String]): Option[Int] =
    get(options, SampleRows).map { value =>
      value.trim.toIntOption.filter(_ > 0).getOrElse(throw Errors.optionValue(
        SampleRows,
        value,
        "a number from 1 on"
      ))
    }

  def sampleBytes(options: Map[String, String]): Option[Int] = bytes(options, SampleBytes)

  def maxVariantBytes(options: Map[String, String]): Int =
    bytes(options, MaxVariantBytes).getOrElse(DefaultMaxVariantBytes)

  private def bytes(options: Map[String, String], key: String): Option[Int] =
    get(options, key).map { value =>
      val bytes =
        try org.apache.spark.network.util.JavaUtils.byteStringAsBytes(value)
        catch { case _: NumberFormatException => -1L }
      if (bytes < 1 || bytes > Int.MaxValue)
        throw Errors.optionValue(key, value, "a size such as 64m, up to 2g")
      bytes.toInt
    }

  def version(value: String, key: String = VersionAsOf): Long =
    value.toLongOption.filter(_ >= 0).getOrElse(throw Errors.optionValue(
      key,
      value,
      "a version number from 0 on" + (if (key == StreamOptions.StartingVersion) ", or latest" else "")
    ))

  def isTrue(options: Map[String, String], key: String): Boolean =
    get(options, key).exists(_.equalsIgnoreCase("true"))

  def maxVariantDepth(options: Map[String, String]): Int =
    get(options, MaxVariantDepth).fold(DefaultMaxVariantDepth) { value =>
      value.toIntOption.filter(_ > 0).getOrElse(throw Errors.optionValue(
        MaxVariantDepth,
        value,
        "a number from 1 on"
      ))
    }
}
