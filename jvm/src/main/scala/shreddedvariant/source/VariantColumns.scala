/** The variant columns of a schema, and the options that name them. */
package shreddedvariant.source

import java.util.Locale

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.types._
import shreddedvariant.{Errors, Options, ShreddedVariantException}
import shreddedvariant.layout.{Shape, ShapeParser}
import shreddedvariant.parquet.WriteJob

/** Options of one write or read, those given with it and the session's defaults. */
final case class GivenOptions(own: Map[String, String], session: Map[String, String]) {

  /** What holds: own options go before the session's, and `shredding` before the session's shapes. */
  def all: Map[String, String] = {
    val taken = own.keySet.map(_.toLowerCase(Locale.ROOT))
    val hidden = if (taken(Options.Shredding)) session.filterNot { case (k, _) => isShape(k) }
    else session
    hidden.filterNot { case (k, _) => taken(k.toLowerCase(Locale.ROOT)) } ++ own
  }

  private def isShape(key: String) = key.toLowerCase(Locale.ROOT).startsWith(Options.ShapePrefix)
}

final class VariantColumns(schema: StructType, caseSensitive: Boolean) {

  /** Checks all options against the schema and says how each variant column is written. */
  def writeJob(options: GivenOptions): WriteJob = {
    Options.check(options.all)
    val shapes = for {
      (key, text) <- options.all.toSeq.sortBy(_._1)
      if key.toLowerCase(Locale.ROOT).startsWith(Options.ShapePrefix)
      path <- resolve(key, optional = !options.own.contains(key))
    } yield path -> shape(key, text)
    WriteJob(shapes.toMap.filter(_._2 != Shape.Untyped), Options.layout(options.all))
  }

  private def shape(key: String, text: String): Shape =
    if (Seq("infer", "off").exists(_.equalsIgnoreCase(text.trim))) Shape.Untyped
    else
      try ShapeParser.parse(text)
      catch { case e: ShreddedVariantException => throw Errors.inOption(key, e) }

  /** The path of the variant that a key names; None if a default of the session names a column of other tables. */
  private def resolve(key: String, optional: Boolean): Option[Seq[String]] = {
    val text = key.substring(Options.ShapePrefix.length)
    val parts =
      try CatalystSqlParser.parseMultipartIdentifier(text)
      catch { case NonFatal(_) => throw Errors.columnKey(key, s"'$text' is not an identifier") }
    find(schema, parts, Nil) match {
      case Found(path, VariantType) => Some(path)
      case _ if optional => None
      case Found(path, other) => throw Errors.notAVariant(key, path.mkString("."), other.sql, names)
      case InCollection => throw Errors.variantInCollection(key, text)
      case Absent => throw Errors.noSuchColumn(key, text, Options.nearest(text, names, 2), names)
    }
  }

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

  /** The variants that can be shredded, as a user writes them. */
  private lazy val names: Seq[String] = namesIn(schema, Nil)

  private def namesIn(struct: StructType, path: Seq[String]): Seq[String] =
    struct.fields.toSeq.flatMap { field =>
      val name = path :+ Shape.quoted(field.name)
      field.dataType match {
        case VariantType => Seq(name.mkString("."))
        case inner: StructType => namesIn(inner, name)
        case _ => Nil
      }
    }
}

/** What stands where a path of names leads. */
private sealed trait Lookup
private final case class Found(path: Seq[String], dataType: DataType) extends Lookup
private case object InCollection extends Lookup
private case object Absent extends Lookup
