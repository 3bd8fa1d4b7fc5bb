/** The keys of all options, the parsers of their values, and the refusal of unknown keys and wrong values. */
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

  /** This key and all keys with this prefix are internal to maintenance; users must not set them. */
  val Maintenance = "maintenance"
  def isMaintenance(key: String): Boolean =
    key.equalsIgnoreCase(Maintenance) || key.toLowerCase(Locale.ROOT).startsWith(Maintenance + ".")
  val MapColumns = "parquet.map.shredding.columns"

  /** Spark's own limit for a variant, see `VariantUtil.SIZE_LIMIT`. */
  val DefaultMaxVariantBytes: Int = 128 * 1024 * 1024
  val DefaultMaxVariantDepth = 1000
  val DefaultPinMinRows = 1000L

  val all: Seq[OptionDoc] = OptionDocs.all

  /** Keys of Spark's own file sources, in lower case; they are never refused as misspelled. */
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

  /** Keys without a dot; an unknown key within two edits of one of them is refused as misspelled. */
  private def bare: Seq[String] =
    all.map(_.key).filterNot(_.contains('.')) ++ Seq(
      "pathGlobFilter",
      "recursiveFileLookup",
      "modifiedBefore",
      "modifiedAfter"
    )

  private val ownSpaces = Seq("shredding", "parquet.map", "bloom")

  /** Refuses wrong values, and unknown keys that look like keys of this source; other unknown keys pass. */
  def check(options: Map[String, String]): Unit = {
    options.keys.toSeq.sorted.foreach(checkKey)
    onlyValue(options, Shredding, Seq("infer", "off"))
    onlyValue(options, Layout, Seq("parquet", "draft"))
    onlyValue(options, Table, Seq("files", "delta"))
    checkLimits(options)
    sampleRows(options)
    sampleBytes(options)
    onlyValue(options, Pin, Seq("table", "none"))
    pinMinRows(options)
    keepTemporary(options)
    maxVariantBytes(options)
    maxVariantDepth(options)
    get(options, VersionAsOf).foreach(version(_))
    for (key <- Seq(OverwriteSchema, LateMaterialization, SingleDriver) ++ StreamOptions.switches)
      onlyValue(options, key, Seq("true", "false"))
  }

  private def checkKey(key: String): Unit = {
    val lower = key.toLowerCase(Locale.ROOT)
    if (isMaintenance(key)) throw Errors.maintenanceOption(key, "only their own load and save set it")
    val isKnown =
      ofSpark(lower) || all.exists(_.isKey(lower))
    if (!isKnown) {
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
      allowed: Seq[String]
  ): Unit =
    get(options, key).foreach { value =>
      if (!allowed.exists(_.equalsIgnoreCase(value)))
        throw Errors.optionValue(key, value, allowed.mkString(" or "))
    }

  def layout(options: Map[String, String]): WriteLayout =
    get(options, Layout).fold[WriteLayout](WriteLayout.Parquet)(value =>
      WriteLayout.all(value.toLowerCase(Locale.ROOT))
    )

  /** Whether the option `table` asks for a Delta table. */
  def isDelta(options: Map[String, String]): Boolean = get(options, Table).exists(_.equalsIgnoreCase("delta"))

  def lateMaterialization(options: Map[String, String]): Boolean =
    !get(options, LateMaterialization).exists(_.equalsIgnoreCase("false"))

  /** Whether variant columns without a shape of their own stay unshredded. */
  def isShreddingOff(options: Map[String, String]): Boolean =
    get(options, Shredding).exists(_.equalsIgnoreCase("off"))

  /** Whether the write neither reads nor adds pinned shapes. */
  def isUnpinned(options: Map[String, String]): Boolean = get(options, Pin).exists(_.equalsIgnoreCase("none"))

  def pinMinRows(options: Map[String, String]): Long =
    get(options, PinMinRows).fold(DefaultPinMinRows) { value =>
      value.trim.toLongOption.filter(_ >= 1).getOrElse(throw Errors.optionValue(
        PinMinRows,
        value,
        "a number from 1 on"
      ))
    }

  /** In milliseconds. The minimum is four times the longest pause between heartbeats, see `JobDirectory`. */
  def keepTemporary(options: Map[String, String]): Long = {
    val value = get(options, KeepTemporary).getOrElse("1d")
    val millis =
      try org.apache.spark.network.util.JavaUtils.timeStringAs(value, TimeUnit.MILLISECONDS)
      catch { case _: NumberFormatException => -1L }
    if (millis < TimeUnit.HOURS.toMillis(1))
      throw Errors.optionValue(KeepTemporary, value, "a time from 1h on, such as 1d")
    millis
  }

  /** The limits of inference, which `shredding_shape` takes too. */
  val limits: Seq[String] = Seq(Policy, MinFieldFrequency, MaxFields, MaxDepth, MaxIntermediateFields)

  def checkLimits(options: Map[String, String]): Unit = {
    onlyValue(options, Policy, Seq("equivalence", "majority"))
    minFieldFrequency(options)
    Seq(MaxFields, MaxDepth, MaxIntermediateFields).foreach(inferenceLimit(options, _))
  }

  def policy(options: Map[String, String]): Option[String] = get(options, Policy)

  def minFieldFrequency(options: Map[String, String]): Option[Double] =
    get(options, MinFieldFrequency).map { value =>
      // NaN fails both comparisons.
      value.trim.toDoubleOption.filter(f => f >= 0 && f <= 1).getOrElse(throw Errors.optionValue(
        MinFieldFrequency,
        value,
        "a number from 0 to 1"
      ))
    }

  /** The maxima of the three limits: `Counts` has no deeper path and no more fields of an object. */
  private val maxima = Map(MaxFields -> 100000, MaxDepth -> 100, MaxIntermediateFields -> 100000)

  /** One of `maxFields`, `maxDepth` and `maxIntermediateFields`. */
  def inferenceLimit(options: Map[String, String], key: String): Option[Int] =
    get(options, key).map { value =>
      value.trim.toIntOption.filter(n => n >= 1 && n <= maxima(key)).getOrElse(throw Errors.optionValue(
        key,
        value,
        s"a number from 1 to ${maxima(key)}"
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
        throw Errors.optionValue(key, value, "a size such as 64m, below 2g")
      bytes.toInt
    }

  /** The option that chooses a version of a Delta table to read, if one does. */
  def versionKey(options: Map[String, String]): Option[String] =
    Seq(VersionAsOf, TimestampAsOf).find(get(options, _).isDefined)

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
