/** The variant columns of a schema, and the options that name them. */
package shreddedvariant.source.options

import java.util.Locale

import org.apache.spark.sql.types._
import shreddedvariant.{Errors, Options, ShreddedVariantException}
import shreddedvariant.layout.{Shape, ShapeParser}
import shreddedvariant.parquet.write.{SampleSize, WriteJob}

final class VariantColumns(schema: StructType, caseSensitive: Boolean) {
  private val columns = new NamedColumns(schema, caseSensitive)
  private val maps = new MapColumns(schema, columns)
  private val blooms = new BloomColumns(columns)

  /** Checks all options against the schema and makes the job of the write. */
  def writeJob(options: GivenOptions): WriteJob =
    blooms.addTo(maps.addTo(ofVariants(options), options), options)

  /** Checks the options of a read or a write. */
  def check(options: GivenOptions): Unit = {
    ofVariants(options)
    maps.check(options)
  }

  /** Checks the options that a table keeps for all of its writes and reads. */
  def checkTable(options: GivenOptions): Unit = {
    ofVariants(options)
    maps.checkTable(options)
  }

  private def ofVariants(options: GivenOptions): WriteJob = {
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

  /** The parsed values of the options with this prefix, by the path of the column. */
  private def ofColumns[A](options: GivenOptions, prefix: String)(
      parse: (String, String) => A
  ): Seq[(Seq[String], A)] = for {
    (key, text) <- options.all.toSeq.sortBy(_._1)
    if key.toLowerCase(Locale.ROOT).startsWith(prefix)
    path <- resolve(key, prefix, optional = !options.own.contains(key))
  } yield path -> parse(key, text)

  private def shape(key: String, text: String): GivenShape =
    if (text.trim.equalsIgnoreCase("infer")) GivenShape.Infer
    else if (text.trim.equalsIgnoreCase("off")) GivenShape.Off
    else
      try GivenShape.Given(ShapeParser.parse(text))
      catch { case e: ShreddedVariantException => throw Errors.inOption(key, e) }

  /** The path of the variant that a key names; None for a session default that names no variant. */
  private def resolve(key: String, prefix: String, optional: Boolean): Option[Seq[String]] = {
    val text = key.substring(prefix.length)
    columns.find(key, text) match {
      case Found(path, VariantType) => Some(path)
      case _ if optional => None
      case Found(path, other) => throw Errors.notAVariant(key, path.mkString("."), other.sql, names)
      case InCollection => throw Errors.variantInCollection(key, text)
      case Absent => throw Errors.noSuchColumn(key, text, Options.nearest(text, names, 2), "variant", names)
    }
  }

  /** The paths of the variants that can be shredded, and their names in options. */
  private lazy val variants: Seq[Seq[String]] = columns.all(_ == VariantType)
  private lazy val names: Seq[String] = variants.map(NamedColumns.text)
}

/** The value of `shredding.shape` for a column. */
private sealed trait GivenShape
private object GivenShape {
  case object Infer extends GivenShape
  case object Off extends GivenShape
  final case class Given(shape: Shape) extends GivenShape
}
