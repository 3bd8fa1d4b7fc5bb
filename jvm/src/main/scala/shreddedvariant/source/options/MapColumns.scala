/** The map columns of a schema, and the options for their hot keys. */
package shreddedvariant.source.options

import java.util.Locale

import org.apache.spark.sql.types._
import shreddedvariant.{Errors, OptionDoc, OptionDocs, Options}
import shreddedvariant.maps.{HotKeys, HotMaps, KeyLimits}
import shreddedvariant.parquet.write.WriteJob

final class MapColumns(schema: StructType, columns: NamedColumns) {
  import MapColumns._

  /** Checks the options of maps, and adds the hot keys, or the limits to infer them, to a job. */
  def addTo(job: WriteJob, options: GivenOptions): WriteJob = {
    check(options)
    val requested = new RequestedMaps(options)
    for (option <- requested.named if option.isOwn && !requested.listed.exists(_.path == option.path))
      throw Errors.mapNotListed(option.key, option.text, Options.MapColumns)
    check(requested)
    def limits(path: Seq[String]) = KeyLimits(
      always = requested.keys(path).getOrElse(Nil),
      maxKeys =
        requested.of(path, OptionDocs.MapMaxKeys).fold(KeyLimits.MaxKeys)(n => maxKeys(n.key, n.value)),
      minFrequency =
        requested.of(path, OptionDocs.MapMinFrequency).fold(KeyLimits.MinFrequency)(n =>
          frequency(n.key, n.value)
        )
    )
    val (inferred, others) = requested.listed.map(_.path).distinct.partition(requested.isInferred)
    job.copy(
      maps = HotMaps(others.flatMap(path => requested.keys(path).map(path -> _)).toMap),
      mapLimits = inferred.map(path => path -> limits(path)).toMap,
      namedMaps = others.toSet
    )
  }

  /** The checks for reads and writes; a read may name keys for files of other writers. */
  def check(options: GivenOptions): Unit = {
    MapColumns.refuseReserved(schema, Nil)
    listed(options)
    all.flatMap(named(_, options)).foreach(_.check())
  }

  /** The checks for a table; it may name keys for files of other writers only, and then lists no columns. */
  def checkTable(options: GivenOptions): Unit = {
    check(options)
    check(new RequestedMaps(options))
  }

  private def check(requested: RequestedMaps): Unit = {
    for (option <- requested.named if option.isOwn && isOfInference(option.option))
      if (!requested.isInferred(option.path))
        throw Errors.mapNotInferred(option.key, OptionDocs.MapInfer.of(option.text))
    for (
      map <- requested.listed
      if map.isOwn && requested.keys(map.path).isEmpty && !requested.isInferred(map.path)
    )
      throw Errors.mapWithoutKeys(
        map.text,
        map.key,
        OptionDocs.MapKeys.of(map.text),
        OptionDocs.MapInfer.of(map.text)
      )
  }

  /** The options of each map. */
  private final class RequestedMaps(options: GivenOptions) {
    val listed: Seq[NamedMap] = MapColumns.this.listed(options)
    val named: Seq[NamedMap] = all.flatMap(MapColumns.this.named(_, options))
    def of(path: Seq[String], option: OptionDoc): Option[NamedMap] =
      named.find(n => n.path == path && n.option == option)
    def keys(path: Seq[String]): Option[Seq[String]] =
      of(path, OptionDocs.MapKeys).map(n => MapColumns.keys(n.key, n.value))
    def isInferred(path: Seq[String]): Boolean =
      of(path, OptionDocs.MapInfer).exists(_.value.trim.equalsIgnoreCase("true"))
  }

  private def listed(options: GivenOptions): Seq[NamedMap] = for {
    list <- Options.get(options.all, Options.MapColumns).toSeq
    text <- MapColumns.split(list)
    map <- resolve(null, Options.MapColumns, text, list, options)
  } yield map

  private def named(option: OptionDoc, options: GivenOptions): Seq[NamedMap] = for {
    (key, value) <- options.all.toSeq.sortBy(_._1)
    text <- option.column(key)
    map <- resolve(option, key, text, value, options)
  } yield map

  /** None for a session default that does not name a map of the schema. */
  private def resolve(
      option: OptionDoc,
      key: String,
      text: String,
      value: String,
      options: GivenOptions
  ): Option[NamedMap] = {
    val isOwn = Options.get(options.own, key).isDefined
    columns.find(key, text) match {
      case Found(path, dataType) if MapColumns.mayHaveHotKeys(dataType) =>
        Some(NamedMap(path, text, option, key, value, isOwn))
      case _ if !isOwn => None
      case Found(path, other) => throw Errors.notAMap(key, path.mkString("."), other.sql, names)
      case InCollection => throw Errors.mapInCollection(key, text)
      case Absent => throw Errors.noSuchColumn(key, text, Options.nearest(text, names, 2), "map", names)
    }
  }

  private lazy val names: Seq[String] = columns.all(MapColumns.mayHaveHotKeys).map(NamedColumns.text)
}

object MapColumns {

  /** Refuses columns whose names mark sidecars of hot keys; `path` leads to the type. */
  def refuseReserved(dataType: DataType, path: Seq[String]): Unit = dataType match {
    case StructType(fields) => fields.foreach { field =>
        val name = path :+ field.name
        if (HotKeys.isReserved(field.name)) throw Errors.reservedName(name.mkString("."))
        refuseReserved(field.dataType, name)
      }
    case ArrayType(element, _) => refuseReserved(element, path)
    case MapType(key, value, _) => refuseReserved(key, path); refuseReserved(value, path)
    case _ =>
  }

  /** The hot keys of files whose footers do not name them, by the paths of the maps. */
  def named(options: Map[String, String]): HotMaps = HotMaps(
    for {
      (key, list) <- options
      text <- OptionDocs.MapKeys.column(key)
    } yield NamedColumns.parse(key, text) -> keys(key, list)
  )

  /** The limits of `shredding_shape` for maps; their names are those of the options after the column. */
  def limits(entries: Map[String, String]): KeyLimits = {
    val names = limitParsers.map(_._1)
    entries.keys.toSeq.sorted.filterNot(key => names.exists(_.equalsIgnoreCase(key))).foreach { key =>
      throw Errors.unknownLimit(
        key,
        Options.nearest(key.toLowerCase(Locale.ROOT), names, math.max(2, key.length / 2)),
        names
      )
    }
    limitParsers.foldLeft(KeyLimits()) { case (limits, (name, set)) =>
      Options.get(entries, name).fold(limits)(set(limits, name, _))
    }
  }

  private val limitParsers = Seq[(String, (KeyLimits, String, String) => KeyLimits)](
    "keys" -> ((limits, key, value) => limits.copy(always = keys(key, value))),
    "maxKeys" -> ((limits, key, value) => limits.copy(maxKeys = maxKeys(key, value))),
    "minFrequency" -> ((limits, key, value) => limits.copy(minFrequency = frequency(key, value)))
  )

  private val all =
    Seq(OptionDocs.MapKeys, OptionDocs.MapInfer, OptionDocs.MapMaxKeys, OptionDocs.MapMinFrequency)

  private def isOfInference(option: OptionDoc) =
    option == OptionDocs.MapMaxKeys || option == OptionDocs.MapMinFrequency

  private def mayHaveHotKeys(dataType: DataType) = dataType match {
    case MapType(_: StringType, _, _) => true
    case _ => false
  }

  /** The keys that an option lists. */
  def keys(key: String, list: String): Seq[String] = {
    def refuse(reason: String) = throw Errors.mapKeys(key, list, reason)
    val isJson = HotKeys.isJson(list)
    val keys = HotKeys.parse(list)
    if (keys.isEmpty || !isJson && list.trim.isEmpty) refuse("it names no key")
    if (!isJson && keys.contains("")) refuse("a key between two commas is empty")
    keys.diff(keys.distinct).headOption.foreach(twice => refuse(s"the list has the key '$twice' twice"))
    if (keys.exists(HotKeys.hasNoBytes)) refuse("a key cannot be encoded in UTF-8")
    keys
  }

  private def maxKeys(key: String, value: String): Int =
    value.trim.toIntOption.filter(n => n >= 1 && n <= MaxKeys).getOrElse(
      throw Errors.optionValue(key, value, s"a number from 1 to $MaxKeys")
    )

  private def frequency(key: String, value: String): Double =
    value.trim.toDoubleOption.filter(f => f >= 0 && f <= 1).getOrElse(
      throw Errors.optionValue(key, value, "a number from 0 to 1")
    )

  /** The maximal number of hot keys: each hot key is a column of the file. */
  private val MaxKeys = 10000

  /** Names separated by commas; a comma between backticks belongs to a name. */
  private def split(list: String): Seq[String] =
    "(?:`(?:[^`]|``)*`|[^,`])+".r.findAllIn(list).map(_.trim).filter(_.nonEmpty).toSeq

  /** A map that an option names as `text`, in its key or its value; `isOwn` is false for session defaults. */
  private final case class NamedMap(
      path: Seq[String],
      text: String,
      option: OptionDoc,
      key: String,
      value: String,
      isOwn: Boolean
  ) {
    def check(): Unit = option match {
      case OptionDocs.MapKeys => keys(key, value); ()
      case OptionDocs.MapMaxKeys => maxKeys(key, value); ()
      case OptionDocs.MapMinFrequency => frequency(key, value); ()
      case _ =>
        if (!Seq("true", "false").exists(_.equalsIgnoreCase(value.trim)))
          throw Errors.optionValue(key, value, "true or false")
    }
  }
}
