/** The variant columns of a schema, and the options that name them. */
package shreddedvariant.source

import java.util.Locale

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
  private val columns = new NamedColumns(schema, caseSensitive)
  private val maps = new MapColumns(schema, columns)

  /** Checks all options against the schema and says how each column is written. */
  def writeJob(options: GivenOptions): WriteJob = {
    Options.check(options.all)
    WriteJob(shapes(options), maps.hot(options))
  }

  /** Checks the options of what may be a write or a read. */
  def check(options: GivenOptions): Unit = {
    Options.check(options.all)
    shapes(options)
    maps.check(options)
  }

  private def shapes(options: GivenOptions): Map[Seq[String], Shape] = {
    val shapes = for {
      (key, text) <- options.all.toSeq.sortBy(_._1)
      if key.toLowerCase(Locale.ROOT).startsWith(Options.ShapePrefix)
      path <- resolve(key, optional = !options.own.contains(key))
    } yield path -> shape(key, text)
    shapes.toMap.filter(_._2 != Shape.Untyped)
  }

  private def shape(key: String, text: String): Shape =
    if (Seq("infer", "off").exists(_.equalsIgnoreCase(text.trim))) Shape.Untyped
    else
      try ShapeParser.parse(text)
      catch { case e: ShreddedVariantException => throw Errors.inOption(key, e) }

  /** The path of the variant that a key names; None if a default of the session names a column of other tables. */
  private def resolve(key: String, optional: Boolean): Option[Seq[String]] = {
    val text = key.substring(Options.ShapePrefix.length)
    columns.find(key, text) match {
      case Found(path, VariantType) => Some(path)
      case _ if optional => None
      case Found(path, other) => throw Errors.notAVariant(key, path.mkString("."), other.sql, names)
      case InCollection => throw Errors.variantInCollection(key, text)
      case Absent => throw Errors.noSuchColumn(key, text, Options.nearest(text, names, 2), "variant", names)
    }
  }

  /** The variants that can be shredded, as a user writes them. */
  private lazy val names: Seq[String] = columns.all(_ == VariantType)
}
