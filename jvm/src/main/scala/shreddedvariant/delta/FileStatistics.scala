/**
 * Creates the statistics of a written file from the statistics of all row groups in its footer.
 *
 * A path of a variant gets bounds only if every row that has the path has a typed value there. The path gets no
 * bounds if a value is in `value` (also a variant null), if there is a NaN, or if a row group has no bounds.
 * Rows may lack the path. A path has both bounds or neither, and both have the type of the column.
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

/** `facts` has the statistics of each leaf for the whole file; `keepsCalendar`: dates are not rebased. */
final case class FileContents(
    rows: Long,
    schema: MessageType,
    facts: Map[Seq[String], LeafStatistics],
    keepsCalendar: Boolean
)

/** Serves all files of a write; `schemaJson` is the schema of the table. */
final case class FileStatistics(schemaJson: String, columns: StatisticsColumns) {
  @transient private lazy val schema = DataTypeJsonSerDe.deserializeStructType(schemaJson)

  def json(file: FileContents): String = {
    val all = columns.columns.map { case (names, dataType) =>
      new Column(names.toArray) -> of(names, dataType, file)
    }
    def values(bound: ColumnStatistics => Option[Literal]) =
      all.flatMap { case (column, entry) => bound(entry).map(column -> _) }.toMap.asJava
    val nulls = all.flatMap { case (column, entry) =>
      entry.nulls.map(n => column -> java.lang.Long.valueOf(n))
    }
    new DataFileStatistics(
      file.rows,
      values(_.bounds.map(_._1)),
      values(_.bounds.map(_._2)),
      nulls.toMap.asJava,
      Some(java.lang.Boolean.TRUE).toJava
    ).serializeAsJson(schema)
  }

  private def of(names: Seq[String], dataType: DataType, file: FileContents): ColumnStatistics =
    dataType match {
      case VariantType if file.schema.containsPath(names.toArray :+ ParquetLayout.Metadata) =>
        ofVariant(names, file)
      case _: ArrayType | _: MapType | VariantType => ColumnStatistics.nothing
      case scalar => file.facts.get(names).fold(ColumnStatistics.nothing)(ofPlain(scalar, _, file))
    }

  // ---- plain columns ----

  private def ofPlain(dataType: DataType, facts: LeafStatistics, file: FileContents): ColumnStatistics = {
    val isCalendar = dataType == DateType || dataType == TimestampType
    val bounds = for {
      (min, max) <- FileStatistics.both(facts) if file.keepsCalendar || !isCalendar
      lower <- literal(dataType, min, isUpper = false)
      upper <- literal(dataType, max, isUpper = true)
    } yield (lower, upper)
    ColumnStatistics(facts.nulls, bounds)
  }

  /** A bound for Delta, which has bounds of numbers, dates, times and strings. */
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

  /** Delta truncates times to milliseconds, so an upper bound is rounded up to the next millisecond. */
  private def millis(micros: BigDecimal, isUpper: Boolean): Option[Long] = {
    val number = micros.longValueExact
    val rounded = if (isUpper) -Math.floorDiv(-number, 1000L) else Math.floorDiv(number, 1000L)
    Option.when(math.abs(rounded) <= FileStatistics.MaxMillis)(rounded * 1000)
  }

  // ---- variants ----

  private def ofVariant(names: Seq[String], file: FileContents): ColumnStatistics = {
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
    ColumnStatistics(nulls, text)
  }

  /** Both bounds of each path that may have bounds, and the number of rows with the path. */
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
          (min, max) <- FileStatistics.both(facts)
          bounds <- bounds(scalar, NormalizedPath.of(keys), min, max)
        } yield (bounds, facts.entries - nulls)
      case _ => Nil
    }

  private def bounds(scalar: ScalarType, path: String, min: Datum, max: Datum) = {
    val shortened = (scalar, min, max) match {
      case (ScalarType.Str, Datum.Bytes(minBytes), Datum.Bytes(maxBytes)) =>
        for {
          lower <- Shortened.text(minBytes).map(Shortened.lower)
          upper <- Shortened.text(maxBytes).flatMap(Shortened.upper)
        } yield (Datum.Bytes(Shape.utf8(lower)), Datum.Bytes(Shape.utf8(upper)))
      case (ScalarType.Binary, Datum.Bytes(minBytes), Datum.Bytes(maxBytes)) =>
        Shortened.upper(maxBytes).map(upper => (Datum.Bytes(Shortened.lower(minBytes)), Datum.Bytes(upper)))
      case _ => Some((min, max))
    }
    shortened.map { case (lower, upper) =>
      (VariantBound(path, scalar, lower), VariantBound(path, scalar, upper))
    }
  }
}

private final case class ColumnStatistics(nulls: Option[Long], bounds: Option[(Literal, Literal)])

private object ColumnStatistics {
  val nothing: ColumnStatistics = ColumnStatistics(None, None)
}

object FileStatistics {

  /** The end of the year 9999. Some readers cannot parse later times. */
  private val MaxMillis = 253402300799999L

  /** Both bounds. A zero gets the sign that widens the bound, because readers may order zeros by sign. */
  private def both(facts: LeafStatistics): Option[(Datum, Datum)] = facts.bounds match {
    case Bounds(Some(Datum.Floating(min)), Some(Datum.Floating(max))) =>
      Option.when(facts.hasNoNaN)((
        Datum.Floating(if (min == 0) -0.0 else min),
        Datum.Floating(if (max == 0) 0.0 else max)
      ))
    case Bounds(Some(min), Some(max)) => Some((min, max))
    case _ => None
  }
}
