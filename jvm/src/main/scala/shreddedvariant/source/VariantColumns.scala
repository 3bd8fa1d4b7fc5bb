/** The variant columns of a schema, and the options that name them. */
package shreddedvariant.source

import java.util.Locale

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.types._
import shreddedvariant.{Errors, Options, ShreddedVariantException}
import shreddedvariant.layout.{Shape, ShapeParser}
import shreddedvariant.parquet.{SampleSize, WriteJob}

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
    val shapes = ofColumns(options, Options.ShapePrefix)(shape).toMap
    val include = ofColumns(options, Options.IncludePrefix)(PathList.parse).toMap
    val exclude = ofColumns(options, Options.ExcludePrefix)(PathList.parse).toMap
    val limits = InferenceLimits.of(options.all)
    val other = if (Options.isShreddingOff(options.all)) GivenShape.Off else GivenShape.Infer
    val shaped =
      shapes.collect { case (path, GivenShape.Given(shape)) if shape != Shape.Untyped => path -> shape }
    WriteJob(
      shapes = shaped,
      named = shaped.keySet,
      limits = variants.filter(path => shapes.getOrElse(path, other) == GivenShape.Infer).map { path =>
        path -> limits.copy(include = include.getOrElse(path, Nil), exclude = exclude.getOrElse(path, Nil))
      }.toMap,
      sample = SampleSize(
        rows = Options.sampleRows(options.all).getOrElse(SampleSize.Rows),
        bytes = Options.sampleBytes(options.all).fold(SampleSize.Bytes)(_.toLong)
      ),
      layout = Options.layout(options.all)
    )
  }

  /** What options with this prefix say, by the path of the column. */
  private def ofColumns[A](options: GivenOptions, prefix: String)(
      read: (String, String) => A
  ): Seq[(Seq[String], A)] = for {
    (key, text) <- options.all.toSeq.sortBy(_._1)
    if key.toLowerCase(Locale.ROOT).startsWith(prefix)
    path <- resolve(key, prefix, optional = !options.own.contains(key))
  } yield path -> read(key, text)

  private def shape(key: String, text: String): GivenShape =
    if (text.trim.equalsIgnoreCase("infer")) GivenShape.Infer
    else if (text.trim.equalsIgnoreCase("off")) GivenShape.Off
    else
      try GivenShape.Given(ShapeParser.parse(text))
      catch { case e: ShreddedVariantException => throw Errors.inOption(key, e) }

  /** The path of the variant that a key names; None if a default of the session names a column of other tables. */
  private def resolve(key: String, prefix: String, optional: Boolean): Option[Seq[String]] = {
    val text = key.substring(prefix.length)
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

  /** The variants that can be shredded; and as a user writes them. */
  private lazy val variants: Seq[Seq[String]] = variantsIn(schema, Nil)
  private lazy val names: Seq[String] = variants.map(_.map(Shape.quoted).mkString("."))

  private def variantsIn(struct: StructType, parent: Seq[String]): Seq[Seq[String]] =
    struct.fields.toSeq.flatMap { field =>
      val path = parent :+ field.name
      field.dataType match {
        case VariantType => Seq(path)
        case inner: StructType => variantsIn(inner, path)
        case _ => Nil
      }
    }
}

/** What `shredding.shape` says of a column. */
private sealed trait GivenShape
private object GivenShape {
  case object Infer extends GivenShape
  case object Off extends GivenShape
  final case class Given(shape: Shape) extends GivenShape
}

/** What stands where a path of names leads. */
private sealed trait Lookup
private final case class Found(path: Seq[String], dataType: DataType) extends Lookup
private case object InCollection extends Lookup
private case object Absent extends Lookup
