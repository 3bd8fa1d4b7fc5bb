/** The map columns of a schema, and the options that give them hot keys. */
package shreddedvariant.source

import org.apache.spark.sql.types._
import shreddedvariant.{Errors, Options}
import shreddedvariant.maps.{HotKeys, HotMaps}

final class MapColumns(schema: StructType, columns: NamedColumns) {

  /** Checks the options of maps against the schema and says which keys are hot. */
  def hot(options: GivenOptions): HotMaps = {
    val (listed, keys) = (this.listed(options), this.keys(options))
    for (named <- keys if named.isOwn && !listed.exists(_.path == named.path))
      throw Errors.mapNotListed(named.key, named.text, Options.MapColumns)
    for (map <- listed if map.isOwn && !keys.exists(_.path == map.path))
      throw Errors.mapWithoutKeys(map.text, Options.MapColumns, Options.MapKeys.of(map.text))
    check(options)
    HotMaps(keys.filter(named => listed.exists(_.path == named.path)).map(k => k.path -> k.keys).toMap)
  }

  /** Checks what is wrong in a read as well as in a write; a read may name keys for files of others. */
  def check(options: GivenOptions): Unit = {
    refuseReserved(schema, Nil)
    listed(options)
    keys(options)
    ()
  }

  private def listed(options: GivenOptions): Seq[NamedMap] = for {
    list <- Options.get(options.all, Options.MapColumns).toSeq
    text <- MapColumns.split(list)
    map <- resolve(Options.MapColumns, text, Nil, options)
  } yield map

  private def keys(options: GivenOptions): Seq[NamedMap] = for {
    (key, list) <- options.all.toSeq.sortBy(_._1)
    text <- Options.MapKeys.column(key)
    map <- resolve(key, text, MapColumns.keys(key, list), options)
  } yield map

  /** None if a default of the session names a column of other tables. */
  private def resolve(
      key: String,
      text: String,
      keys: Seq[String],
      options: GivenOptions
  ): Option[NamedMap] = {
    val isOwn = Options.get(options.own, key).isDefined
    columns.find(key, text) match {
      case Found(path, dataType) if MapColumns.mayHaveHotKeys(dataType) =>
        Some(NamedMap(path, text, key, isOwn, keys))
      case _ if !isOwn => None
      case Found(path, other) => throw Errors.notAMap(key, path.mkString("."), other.sql, names)
      case InCollection => throw Errors.mapInCollection(key, text)
      case Absent => throw Errors.noSuchColumn(key, text, Options.nearest(text, names, 2), "map", names)
    }
  }

  private lazy val names: Seq[String] = columns.all(MapColumns.mayHaveHotKeys).map(NamedColumns.text)

  /** A column with the name of a sidecar would be taken for one. */
  private def refuseReserved(dataType: DataType, path: Seq[String]): Unit = dataType match {
    case StructType(fields) => fields.foreach { field =>
        val name = path :+ field.name
        if (HotKeys.isReserved(field.name)) throw Errors.reservedName(name.mkString("."))
        refuseReserved(field.dataType, name)
      }
    case ArrayType(element, _) => refuseReserved(element, path)
    case MapType(key, value, _) => refuseReserved(key, path); refuseReserved(value, path)
    case _ =>
  }
}

object MapColumns {

  /** The keys that options name for files whose footers do not, by the paths of the maps. */
  def named(options: Map[String, String]): HotMaps = HotMaps(
    for {
      (key, list) <- options
      text <- Options.MapKeys.column(key)
    } yield NamedColumns.parse(key, text) -> keys(key, list)
  )

  private def mayHaveHotKeys(dataType: DataType) = dataType match {
    case MapType(_: StringType, _, _) => true
    case _ => false
  }

  private def keys(key: String, list: String): Seq[String] = {
    def refuse(reason: String) = throw Errors.mapKeys(key, list, reason)
    val isJson = list.trim.startsWith("[")
    val keys = HotKeys.parse(list)
    if (keys.isEmpty || !isJson && list.trim.isEmpty) refuse("it names no key")
    if (!isJson && keys.contains("")) refuse("a key between its commas is empty")
    keys.diff(keys.distinct).headOption.foreach(twice => refuse(s"the key '$twice' stands there twice"))
    keys
  }

  /** Names separated by commas; a comma between backticks belongs to a name. */
  private def split(list: String): Seq[String] =
    "(?:`(?:[^`]|``)*`|[^,`])+".r.findAllIn(list).map(_.trim).filter(_.nonEmpty).toSeq
}

/** A map that an option names: by its key or in its value, as `text`; one of the session's defaults is not `isOwn`. */
private final case class NamedMap(
    path: Seq[String],
    text: String,
    key: String,
    isOwn: Boolean,
    keys: Seq[String]
)
