/** A hidden column of a scan: a result that a query needs from one path of a variant or from one map. */
package shreddedvariant.layout

import org.apache.spark.sql.types.{
  ArrayType,
  BooleanType,
  DataType,
  IntegerType,
  MapType,
  StringType,
  StructType,
  VariantType
}

sealed trait PathStep

object PathStep {
  final case class Key(name: String) extends PathStep
  final case class Index(index: Int) extends PathStep

  /** The steps in the SQL syntax of variant paths. */
  def text(steps: Seq[PathStep]): String = steps.map {
    case Key(name) => "." + Shape.quoted(name)
    case Index(index) => s"[$index]"
  }.mkString
}

/** `column` is the name of the variant or map, after the names of the structs around it; maps have no steps. */
final case class PathColumn(column: Seq[String], steps: Seq[PathStep], wanted: PathResult) {

  /** The name of the path in EXPLAIN; array indexes become `[*]`, because all elements share one leaf. */
  def leaf: String = wanted match {
    case PathResult.Presence if steps.isEmpty => s"$path present"
    case PathResult.MapPresence => s"$path present"
    case _: PathResult.Entry => path
    case PathResult.HasEntry(key) => s"$columnName has ${quoted(key)}"
    case PathResult.MapSize | PathResult.MapKeys => path
    case _ => path.replaceAll("\\[\\d+\\]", "[*]")
  }

  /**
   * The unique name of the hidden column. Spark prunes the fields of structs by case-insensitive names, so the
   * name of a column with structs ends with the positions of its capital letters.
   */
  def name: String = {
    val spelled = wanted match {
      case PathResult.Value(target, zone) => cast(target, zone)
      case PathResult.Failure(target, zone) => s"${cast(target, zone)} failing"
      case PathResult.Raising(target, zone) => s"${cast(target, zone)} raising"
      case PathResult.Presence | PathResult.MapPresence => s"$path present"
      case _: PathResult.OfMap => cast(wanted.dataType, None)
      case PathResult.Json(zone) => s"$path as JSON in $zone"
    }
    if (hasStructs(wanted.dataType)) spelled + capitals(spelled) else spelled
  }

  private def cast(target: DataType, zone: Option[String]) =
    s"$path::${target.sql}${zone.fold("")(z => s" in $z")}"

  private def hasStructs(dataType: DataType): Boolean = dataType match {
    case _: StructType => true
    case ArrayType(element, _) => hasStructs(element)
    case MapType(_, value, _) => hasStructs(value)
    case _ => false
  }

  private def capitals(text: String) = {
    val positions = text.indices.filter(i => text(i) != text(i).toUpper.toLower)
    positions.map(i => s"$i${text(i)}").mkString(" #", "", "")
  }

  /** The path in SQL syntax. */
  def path: String = wanted match {
    case PathResult.Entry(key, _) => s"$columnName[${quoted(key)}]"
    case PathResult.HasEntry(key) => s"map_contains_key($columnName, ${quoted(key)})"
    case PathResult.MapSize => s"size($columnName)"
    case PathResult.MapKeys => s"map_keys($columnName)"
    case _ => columnName + PathStep.text(steps)
  }

  /** The variant or map column in SQL syntax. */
  def columnName: String = column.map(Shape.quoted).mkString(".")

  private def quoted(key: String) = "'" + key.replace("\\", "\\\\").replace("'", "\\'") + "'"
}

sealed trait PathResult {
  def dataType: DataType

  /** Whether the result needs only the levels of typed leaves, not their values. */
  def isOfLevels: Boolean = this match {
    case PathResult.Presence | PathResult.MapPresence | PathResult.MapSize | PathResult.MapKeys | _: PathResult.HasEntry =>
      true
    case _ => false
  }
}

object PathResult {

  /**
   * The value cast to `target`, null if the cast fails, with null for parts that cannot be cast; `timeZone` is
   * the session's, if the cast needs it.
   */
  final case class Value(target: DataType, timeZone: Option[String]) extends PathResult {
    override def dataType: DataType = target
  }

  /** The same as [[Value]], but reading a row whose strict cast fails raises Spark's error. */
  final case class Raising(target: DataType, timeZone: Option[String]) extends PathResult {
    override def dataType: DataType = target
  }

  /** The variant itself if a strict cast to `target` fails; null otherwise. */
  final case class Failure(target: DataType, timeZone: Option[String]) extends PathResult {
    override def dataType: DataType = VariantType
  }

  /** True if the path has a value, also a variant null; null otherwise, like a row that an outer join adds. */
  case object Presence extends PathResult {
    override def dataType: DataType = BooleanType
  }

  /** A result from a map, not from a variant. */
  sealed trait OfMap extends PathResult

  /** The value of a key of a map; null if the map does not have the key. */
  final case class Entry(key: String, value: DataType) extends OfMap {
    override def dataType: DataType = value
  }

  /** Whether a map has a key, also if the value of the key is null; null if the map is null. */
  final case class HasEntry(key: String) extends OfMap {
    override def dataType: DataType = BooleanType
  }

  /** True if a map is not null, null otherwise. */
  case object MapPresence extends OfMap {
    override def dataType: DataType = BooleanType
  }

  /** The number of entries of a map; null if the map is null. */
  case object MapSize extends OfMap {
    override def dataType: DataType = IntegerType
  }

  /** The keys of a map, in the order of its entries; null if the map is null. */
  case object MapKeys extends OfMap {
    override def dataType: DataType = ArrayType(StringType, containsNull = false)
  }

  /** The value as `to_json` formats it in this time zone; null if the path has no value. */
  final case class Json(timeZone: String) extends PathResult {
    override def dataType: DataType = StringType
  }
}
