/** What a query wants of one path of a variant, or of one key of a map, as a column beside the columns of the table. */
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

  /** A path as SQL writes it behind the colon. */
  def text(steps: Seq[PathStep]): String = steps.map {
    case Key(name) => "." + Shape.quoted(name)
    case Index(index) => s"[$index]"
  }.mkString
}

/** `column` is that of the variant or map, by the names of the structs around it; maps have no steps. */
final case class PathColumn(column: Seq[String], steps: Seq[PathStep], wanted: Wanted) {

  /** What EXPLAIN calls the path; array indexes are all one leaf. */
  def leaf: String = wanted match {
    case Wanted.Presence if steps.isEmpty => s"$path present"
    case Wanted.MapPresence => s"$path present"
    case _: Wanted.Entry => path
    case Wanted.HasEntry(key) => s"$columnName has ${quoted(key)}"
    case Wanted.MapSize | Wanted.MapKeys => path
    case _ => path.replaceAll("\\[\\d+\\]", "[*]")
  }

  /**
   * The hidden column's name, which no other one has. What Spark prunes of structs it finds by names without their case:
   * so columns that are structs say which of their name's letters are capitals.
   */
  def name: String = {
    val spelled = wanted match {
      case Wanted.Value(target, zone) => cast(target, zone)
      case Wanted.Failure(target, zone) => s"${cast(target, zone)} failing"
      case Wanted.Raising(target, zone) => s"${cast(target, zone)} raising"
      case Wanted.Presence | Wanted.MapPresence => s"$path present"
      case _: Wanted.OfMap => cast(wanted.dataType, None)
      case Wanted.Json(zone) => s"$path as JSON in $zone"
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
    val at = text.indices.filter(i => text(i) != text(i).toUpper.toLower)
    at.map(i => s"$i${text(i)}").mkString(" #", "", "")
  }

  /** The path as SQL writes it. */
  def path: String = wanted match {
    case Wanted.Entry(key, _) => s"$columnName[${quoted(key)}]"
    case Wanted.HasEntry(key) => s"map_contains_key($columnName, ${quoted(key)})"
    case Wanted.MapSize => s"size($columnName)"
    case Wanted.MapKeys => s"map_keys($columnName)"
    case _ => columnName + PathStep.text(steps)
  }

  /** The column as SQL writes it. */
  def columnName: String = column.map(Shape.quoted).mkString(".")

  private def quoted(key: String) = "'" + key.replace("\\", "\\\\").replace("'", "\\'") + "'"
}

sealed trait Wanted {
  def dataType: DataType

  /** Whether it is enough to know where there are values. */
  def isOfLevels: Boolean = this match {
    case Wanted.Presence | Wanted.MapPresence | Wanted.MapSize | Wanted.MapKeys | _: Wanted.HasEntry => true
    case _ => false
  }
}

object Wanted {

  /** The value cast to `target`, null where that fails; the time zone is the session's, for casts that ask for one. */
  final case class Value(target: DataType, timeZone: Option[String]) extends Wanted {
    override def dataType: DataType = target
  }

  /** The value as [[Value]] gives it; to read a row where the cast fails raises Spark's error. */
  final case class Raising(target: DataType, timeZone: Option[String]) extends Wanted {
    override def dataType: DataType = target
  }

  /** The variant itself where the cast to `target` gives null and may have failed; null everywhere else. */
  final case class Failure(target: DataType, timeZone: Option[String]) extends Wanted {
    override def dataType: DataType = VariantType
  }

  /** True where the path leads to something, be it a variant null; null elsewhere: outer joins then keep the meaning. */
  case object Presence extends Wanted {
    override def dataType: DataType = BooleanType
  }

  /** What is asked of a map, and not of a variant. */
  sealed trait OfMap extends Wanted

  /** The value of a key of a map, null where the map has none. */
  final case class Entry(key: String, value: DataType) extends OfMap {
    override def dataType: DataType = value
  }

  /** Whether a map has a key, be its value null; null where the map is. */
  final case class HasEntry(key: String) extends OfMap {
    override def dataType: DataType = BooleanType
  }

  /** True where a map is not NULL, null elsewhere. */
  case object MapPresence extends OfMap {
    override def dataType: DataType = BooleanType
  }

  /** How many entries a map has; null where it is. */
  case object MapSize extends OfMap {
    override def dataType: DataType = IntegerType
  }

  /** The keys of a map, in the order of its entries; null where it is. */
  case object MapKeys extends OfMap {
    override def dataType: DataType = ArrayType(StringType, containsNull = false)
  }

  /** The value as `to_json` spells it in this time zone; null where there is none. */
  final case class Json(timeZone: String) extends Wanted {
    override def dataType: DataType = StringType
  }
}
