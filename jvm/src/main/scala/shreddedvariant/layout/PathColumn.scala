/** What a query wants of one path of a variant, as a column of its own beside the columns of the table. */
package shreddedvariant.layout

import org.apache.spark.sql.types.{BooleanType, DataType, StringType, VariantType}

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

/** `variant` is the variant's column, by the names of the structs around it. */
final case class PathColumn(variant: Seq[String], steps: Seq[PathStep], wanted: Wanted) {

  /** What EXPLAIN calls the path; array indexes are all one leaf. */
  def leaf: String = wanted match {
    case Wanted.Presence if steps.isEmpty => s"$path present"
    case _ => path.replaceAll("\\[\\d+\\]", "[*]")
  }

  def name: String = wanted match {
    case Wanted.Value(target, zone) => s"$path::${target.sql}${zone.fold("")(z => s" in $z")}"
    case Wanted.Failure(target, zone) => s"$path::${target.sql}${zone.fold("")(z => s" in $z")} failing"
    case Wanted.Raising(target, zone) => s"$path::${target.sql}${zone.fold("")(z => s" in $z")} raising"
    case Wanted.Presence => s"$path present"
    case Wanted.Json(zone) => s"$path as JSON in $zone"
  }

  /** The path as SQL writes it. */
  def path: String = variant.map(Shape.quoted).mkString(".") + PathStep.text(steps)
}

sealed trait Wanted {
  def dataType: DataType
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

  /** The value as `to_json` spells it in this time zone; null where there is none. */
  final case class Json(timeZone: String) extends Wanted {
    override def dataType: DataType = StringType
  }
}
