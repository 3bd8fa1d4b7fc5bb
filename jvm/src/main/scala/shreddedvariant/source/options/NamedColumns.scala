/** The columns of a schema as options name them: Spark identifiers, dotted when nested in structs. */
package shreddedvariant.source.options

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.types._
import shreddedvariant.Errors
import shreddedvariant.layout.Shape

final class NamedColumns(schema: StructType, caseSensitive: Boolean) {

  /** What stands where `text`, which the option `key` names a column by, leads. */
  def find(key: String, text: String): Lookup = find(schema, NamedColumns.parse(key, text), Nil)

  private def find(dataType: DataType, parts: Seq[String], path: Seq[String]): Lookup =
    (dataType, parts) match {
      case (found, Nil) => Found(path, found)
      case (struct: StructType, name +: rest) =>
        struct.fields.find(f => same(f.name, name)).fold[Lookup](Absent)(f =>
          find(f.dataType, rest, path :+ f.name)
        )
      case (_: ArrayType | _: MapType, _) => InCollection
      case _ => Absent
    }

  private def same(a: String, b: String) = if (caseSensitive) a == b else a.equalsIgnoreCase(b)

  /** The columns of a type, also those in structs. */
  def all(isWanted: DataType => Boolean): Seq[Seq[String]] = all(schema, Nil, isWanted)

  private def all(struct: StructType, parent: Seq[String], isWanted: DataType => Boolean): Seq[Seq[String]] =
    struct.fields.toSeq.flatMap { field =>
      val path = parent :+ field.name
      field.dataType match {
        case found if isWanted(found) => Seq(path)
        case inner: StructType => all(inner, path, isWanted)
        case _ => Nil
      }
    }
}

object NamedColumns {

  /** A path as a user writes it. */
  def text(path: Seq[String]): String = path.map(Shape.quoted).mkString(".")

  def parse(key: String, text: String): Seq[String] =
    try CatalystSqlParser.parseMultipartIdentifier(text)
    catch { case NonFatal(_) => throw Errors.columnKey(key, s"'$text' is not an identifier") }
}

/** What stands where a path of names leads. */
sealed trait Lookup
final case class Found(path: Seq[String], dataType: DataType) extends Lookup
case object InCollection extends Lookup
case object Absent extends Lookup
