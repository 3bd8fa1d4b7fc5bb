/** Reads the statistics of a file in a table's log, for its columns and for the paths of its variants. */
package shreddedvariant.delta

import java.math.BigDecimal
import java.time.{Instant, LocalDate, LocalDateTime, OffsetDateTime, ZoneOffset}
import java.time.temporal.ChronoUnit

import scala.util.Try

import com.fasterxml.jackson.databind.{DeserializationFeature, JsonNode, ObjectMapper}
import org.apache.spark.sql.types._
import shreddedvariant.layout.{ScalarType, Shape}
import shreddedvariant.stats.{Bounds, Datum, LeafStatistics}

/** `isOurs`: the bounds are complete; those of other writers may exclude NaN, or values of some row groups. */
final class RecordedStatistics(json: String, isOurs: Boolean) {
  private val root: JsonNode =
    Try(RecordedStatistics.mapper.readTree(json)).getOrElse(RecordedStatistics.mapper.createObjectNode)
  val rows: Option[Long] = Option(root.path("numRecords")).filter(_.canConvertToLong).map(_.longValue)

  /** False if the statistics may count deleted rows. */
  private val isTight = root.path("tightBounds").asBoolean(true)

  /** The statistics of a plain column; its name in `names` follows the names of the structs around it. */
  def plain(names: Seq[String], scalar: ScalarType): LeafStatistics = {
    val bounds = Bounds(
      value(root.path("minValues"), names).flatMap(RecordedStatistics.datum(_, scalar, isUpper = false)),
      value(root.path("maxValues"), names).flatMap(RecordedStatistics.datum(_, scalar, isUpper = true))
    )
    facts(nulls(names), if (bounds.hasNaN) Bounds.none else bounds)
  }

  /** The null count of a column of any type. */
  def presence(names: Seq[String]): LeafStatistics = facts(nulls(names), Bounds.none)

  /** The type and the bounds of a path, if both bounds are recorded and the bounds of the file are complete. */
  def path(variant: Seq[String], path: String): Option[(ScalarType, LeafStatistics)] = if (!isOurs) None
  else
    for {
      lower <- bounds("minValues", variant).get(path)
      upper <- bounds("maxValues", variant).get(path) if upper.scalar == lower.scalar
      // NaN is not a valid bound.
      recorded = Bounds(Some(lower.value), Some(upper.value)) if !recorded.hasNaN
    } yield (lower.scalar, facts(None, recorded))

  /** The lower and the upper bound of all paths of a variant that have a bound, from any writer. */
  def paths(variant: Seq[String]): Map[String, (Option[VariantBound], Option[VariantBound])] = {
    val (lower, upper) = (bounds("minValues", variant), bounds("maxValues", variant))
    (lower.keySet ++ upper.keySet).map(path => path -> ((lower.get(path), upper.get(path)))).toMap
  }

  private val variants = scala.collection.mutable.Map.empty[(String, Seq[String]), Map[String, VariantBound]]

  private def bounds(side: String, variant: Seq[String]): Map[String, VariantBound] =
    variants.getOrElseUpdate(
      (side, variant),
      value(root.path(side), variant).filter(_.isTextual).fold(Map.empty[String, VariantBound])(node =>
        VariantBounds.decode(node.textValue)
      )
    )

  private def facts(nulls: Option[Long], bounds: Bounds) =
    LeafStatistics(
      rows.getOrElse(Long.MaxValue),
      nulls.filter(_ => rows.isDefined),
      bounds,
      hasNoNaN = isOurs
    )

  private def nulls(names: Seq[String]) =
    value(root.path("nullCount"), names).filter(n => isTight && n.canConvertToLong).map(_.longValue)

  private def value(root: JsonNode, names: Seq[String]): Option[JsonNode] =
    Some(names.foldLeft(root)((node, name) => node.path(name))).filterNot(n => n.isMissingNode || n.isNull)
}

object RecordedStatistics {
  private val mapper = new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)

  /** The type that the values of a column have in statistics; None for types without bounds. */
  def scalar(dataType: DataType): Option[ScalarType] = dataType match {
    case ByteType => Some(ScalarType.Int8)
    case ShortType => Some(ScalarType.Int16)
    case IntegerType => Some(ScalarType.Int32)
    case LongType => Some(ScalarType.Int64)
    case FloatType => Some(ScalarType.Float32)
    case DoubleType => Some(ScalarType.Float64)
    case decimal: DecimalType => Some(ScalarType.Dec(decimal.precision, decimal.scale))
    case DateType => Some(ScalarType.Date)
    case TimestampType => Some(ScalarType.Timestamp)
    case TimestampNTZType => Some(ScalarType.TimestampNtz)
    case StringType => Some(ScalarType.Str)
    case _ => None
  }

  /** None if the JSON is not a value of the type; an absent bound is unbounded. */
  private def datum(node: JsonNode, scalar: ScalarType, isUpper: Boolean): Option[Datum] = Try(scalar match {
    case ScalarType.Float32 => Datum.Floating(node.asText.toFloat.toDouble)
    case ScalarType.Float64 => Datum.Floating(node.asText.toDouble)
    case ScalarType.Str if node.isTextual => Datum.Bytes(Shape.utf8(node.textValue))
    case ScalarType.Date => Datum.exact(LocalDate.parse(node.textValue.take(10)).toEpochDay)
    case ScalarType.Timestamp | ScalarType.TimestampNtz =>
      // Writers truncate times to milliseconds.
      Datum.exact(micros(node.textValue) + (if (isUpper) 999 else 0))
    case _ => Datum.Exact(new BigDecimal(node.asText))
  }).toOption

  private def micros(text: String): Long = {
    val time: Instant = Try(OffsetDateTime.parse(text).toInstant).getOrElse(
      LocalDateTime.parse(text.replace(' ', 'T')).toInstant(ZoneOffset.UTC)
    )
    Math.addExact(ChronoUnit.MICROS.between(Instant.EPOCH, time.truncatedTo(ChronoUnit.MICROS)), 0L)
  }
}
