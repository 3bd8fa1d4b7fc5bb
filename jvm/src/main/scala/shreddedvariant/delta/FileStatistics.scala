/**
 * The statistics of a file that we have written, from what its own footer knows of all its row groups.
 *
 * A path of a variant gets bounds only if each row of the file that has it has it typed: one value in `value`, a variant
 * null among them, ends its bounds; so does a NaN, or a row group that knows no bounds. Rows that lack the path are no
 * harm. Both bounds or neither, and both of the column's type.
 */
package shreddedvariant.delta

import java.math.BigDecimal

import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters._

import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.types._
import shreddedvariant.layout._
import shreddedvariant.shaded.io.delta.kernel.expressions.{Column, Literal}
import shreddedvariant.shaded.io.delta.kernel.internal.types.DataTypeJsonSerDe
import shreddedvariant.shaded.io.delta.kernel.statistics.DataFileStatistics
import shreddedvariant.stats.{Bounds, Datum, LeafStatistics}

/** `facts` are those of each leaf, for the whole file. `keepsCalendar` says that dates are written as they are. */
final case class FileContents(
    rows: Long,
    schema: MessageType,
    facts: Map[Seq[String], LeafStatistics],
    keepsCalendar: Boolean
)

/** One for all files of a write; `schemaJson` is the table's. */
final case class FileStatistics(schemaJson: String, columns: StatisticsColumns) {
  @transient private lazy val schema = DataTypeJsonSerDe.deserializeStructType(schemaJson)

  def json(file: FileContents): String = {
    val found = columns.columns.map { case (names, dataType) =>
      new Column(names.toArray) -> of(names, dataType, file)
    }
    def values(bound: Found => Option[Literal]) =
      found.flatMap { case (column, found) => bound(found).map(column -> _) }.toMap.asJava
    val nulls = found.flatMap { case (column, found) =>
      found.nulls.map(n => column -> java.lang.Long.valueOf(n))
    }
    new DataFileStatistics(
      file.rows,
      values(_.bounds.map(_._1)),
      values(_.bounds.map(_._2)),
      nulls.toMap.asJava,
      Some(java.lang.Boolean.TRUE).toJava
    ).serializeAsJson(schema)
  }

  private def of(names: Seq[String], dataType: DataType, file: FileContents): Found = dataType match {
    case VariantType if file.schema.containsPath(names.toArray :+ ParquetLayout.Metadata) =>
      ofVariant(names, file)
    case _: ArrayType | _: MapType | VariantType => Found.nothing
    case scalar => file.facts.get(names).fold(Found.nothing)(ofPlain(scalar, _, file))
  }

  // ---- plain columns ----

  private def ofPlain(dataType: DataType, facts: LeafStatistics, file: FileContents): Found = {
    val isCalendar = dataType == DateType || dataType == TimestampType
    val bounds = for {
      (least, greatest) <- FileStatistics.both(facts) if file.keepsCalendar || !isCalendar
      lower <- literal(dataType, least, isUpper = false)
      upper <- literal(dataType, greatest, isUpper = true)
    } yield (lower, upper)
    Found(facts.nulls, bounds)
  }

  /** Delta has bounds of numbers, dates, times and strings. */
  private def literal(dataType: DataType, value: Datum, isUpper: Boolean): Option[Literal] =
    (dataType, value) match {
      case (ByteType, Datum.Exact(number)) => Some(Literal.ofByte(number.byteValueExact))
      case (ShortType, Datum.Exact(number)) => Some(Literal.ofShort(number.shortValueExact))
      case (IntegerType, Datum.Exact(number)) => Some(Literal.ofInt(number.intValueExact))
      case (LongType, Datum.Exact(number)) => Some(Literal.ofLong(number.longValueExact))
      case (FloatType, Datum.Floating(number)) => Some(Literal.ofFloat(number.toFloat))
      case (DoubleType, Datum.Floating(number)) => Some(Literal.ofDouble(number))
      case (decimal: DecimalType, Datum.Exact(number)) =>
        Some(Literal.ofDecimal(number.setScale(decimal.scale), decimal.precision, decimal.scale))
      case (DateType, Datum.Exact(days)) => Some(Literal.ofDate(days.intValueExact))
      case (TimestampType, Datum.Exact(micros)) => millis(micros, isUpper).map(Literal.ofTimestamp(_))
      case (TimestampNTZType, Datum.Exact(micros)) => millis(micros, isUpper).map(Literal.ofTimestampNtz(_))
      case (_: StringType, Datum.Bytes(bytes)) =>
        Shortened.text(bytes).flatMap(text =>
          if (isUpper) Shortened.upper(text) else Some(Shortened.lower(text))
        )
          .map(Literal.ofString(_))
      case _ => None
    }

  /** They are written in milliseconds, cut off: an upper bound is raised to the next one. */
  private def millis(micros: BigDecimal, isUpper: Boolean): Option[Long] = {
    val number = micros.longValueExact
    val cut = if (isUpper) -Math.floorDiv(-number, 1000L) else Math.floorDiv(number, 1000L)
    Option.when(math.abs(cut) <= FileStatistics.FarthestMillis)(cut * 1000)
  }

  // ---- variants ----

  private def ofVariant(names: Seq[String], file: FileContents): Found = {
    val variant = FileCell.bind(file.schema, names, names.mkString("."), Int.MaxValue)
    val nulls = variant.metadata.flatMap(file.facts.get).flatMap(_.nulls)
    val frequent = paths(variant.root, Nil, file).sortBy { case (bounds, values) =>
      (-values, bounds._1.path)
    }
    val chosen = frequent.take(columns.paths).map(_._1)
    val text = for {
      _ <- chosen.headOption
      lower <- VariantBounds.encode(chosen.map(_._1))
      upper <- VariantBounds.encode(chosen.map(_._2))
    } yield (Literal.ofString(lower), Literal.ofString(upper))
    Found(nulls, text)
  }

  /** Both bounds of each path that may have them, and how many rows have it. */
  private def paths(
      cell: FileCell,
      keys: Seq[String],
      file: FileContents
  ): Seq[((VariantBound, VariantBound), Long)] =
    cell.typed.flatMap {
      case fields: FileTyped.Object =>
        fields.fields.flatMap { case (key, field) => paths(field, keys :+ key, file) }
      case FileTyped.Scalar(scalar, leaf) if cell.value.forall(file.facts.get(_).exists(_.areAllNull)) =>
        for {
          facts <- file.facts.get(leaf).toSeq
          nulls <- facts.nulls
          (least, greatest) <- FileStatistics.both(facts)
          bounds <- bounds(scalar, NormalizedPath.of(keys), least, greatest)
        } yield (bounds, facts.entries - nulls)
      case _ => Nil
    }

  private def bounds(scalar: ScalarType, path: String, least: Datum, greatest: Datum) = {
    val ends = (scalar, least, greatest) match {
      case (ScalarType.Str, Datum.Bytes(lower), Datum.Bytes(upper)) =>
        for {
          from <- Shortened.text(lower).map(Shortened.lower)
          to <- Shortened.text(upper).flatMap(Shortened.upper)
        } yield (Datum.Bytes(Shape.utf8(from)), Datum.Bytes(Shape.utf8(to)))
      case (ScalarType.Binary, Datum.Bytes(lower), Datum.Bytes(upper)) =>
        Shortened.upper(upper).map(to => (Datum.Bytes(Shortened.lower(lower)), Datum.Bytes(to)))
      case _ => Some((least, greatest))
    }
    ends.map { case (from, to) => (VariantBound(path, scalar, from), VariantBound(path, scalar, to)) }
  }
}

private final case class Found(nulls: Option[Long], bounds: Option[(Literal, Literal)])

private object Found {
  val nothing: Found = Found(None, None)
}

object FileStatistics {

  /** The year 9999, beyond which not every reader can parse a time. */
  private val FarthestMillis = 253402300799999L

  /** A zero has the sign that makes the bound the wider one, whatever order its readers have for zeros. */
  private def both(facts: LeafStatistics): Option[(Datum, Datum)] = facts.bounds match {
    case Bounds(Some(Datum.Floating(least)), Some(Datum.Floating(greatest))) =>
      Option.when(facts.hasNoNaN)((
        Datum.Floating(if (least == 0) -0.0 else least),
        Datum.Floating(if (greatest == 0) 0.0 else greatest)
      ))
    case Bounds(Some(least), Some(greatest)) => Some((least, greatest))
    case _ => None
  }
}
