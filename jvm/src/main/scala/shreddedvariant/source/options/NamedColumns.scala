/** Finds the columns of a schema that options name: Spark identifiers, dotted when nested in structs. */
package shreddedvariant.source.options

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.types._
import shreddedvariant.Errors
import shreddedvariant.layout.Shape

final class NamedColumns(schema: StructType, caseSensitive: Boolean) {

  /** The column that the option `key` names as `text`. */
  def find(key: String, text: String): Lookup = find(schema, NamedColumns.parse(key, text), Nil)

  private def find(dataType: DataType, parts: Seq[String], path: Seq[String]): Lookup =
    (dataType, parts) match {
      case (column, Nil) => Found(path, column)
      case (struct: StructType, name +: rest) =>
        struct.fields.find(f => same(f.name, name)).fold[Lookup](Absent)(f =>
          find(f.dataType, rest, path :+ f.name)
        )
      case (_: ArrayType | _: MapType, _) => InCollection
      case _ => Absent
    }

  private def same(a: String, b: String) = if (caseSensitive) a == b else a.equalsIgnoreCase(b)

  /** The paths of the columns with a type, also of columns in structs. */
  def all(matches: DataType => Boolean): Seq[Seq[String]] = all(schema, Nil, matches)

  private def all(struct: StructType, parent: Seq[String], matches: DataType => Boolean): Seq[Seq[String]] =
    struct.fields.toSeq.flatMap { field =>
      val path = parent :+ field.name
      field.dataType match {
        case column if matches(column) => Seq(path)
        case inner: StructType => all(inner, path, matches)
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

/** The result of a search for a column. */
sealed trait Lookup
final case class Found(path: Seq[String], dataType: DataType) extends Lookup
case object InCollection extends Lookup
case object Absent extends Lookup
