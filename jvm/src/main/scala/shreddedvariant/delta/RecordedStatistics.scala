/** The statistics of one file as a table's log has them, read as facts about its columns and the paths of its variants. */
package shreddedvariant.delta

import java.math.BigDecimal
import java.time.{Instant, LocalDate, LocalDateTime, OffsetDateTime, ZoneOffset}
import java.time.temporal.ChronoUnit

import scala.util.Try

import com.fasterxml.jackson.databind.{DeserializationFeature, JsonNode, ObjectMapper}
import org.apache.spark.sql.types._
import shreddedvariant.layout.{ScalarType, Shape}
import shreddedvariant.stats.{Bounds, Datum, LeafStatistics}

/** `isOurs` says that the bounds are whole: those of other writers may miss a NaN, or what single row groups hold. */
final class RecordedStatistics(json: String, isOurs: Boolean) {
  private val root: JsonNode =
    Try(RecordedStatistics.mapper.readTree(json)).getOrElse(RecordedStatistics.mapper.createObjectNode)
  val rows: Option[Long] = Option(root.path("numRecords")).filter(_.canConvertToLong).map(_.longValue)

  /** False where rows may be deleted that the statistics still count. */
  private val isTight = root.path("tightBounds").asBoolean(true)

  /** Of a plain column, by the names of the structs around it. */
  def plain(names: Seq[String], scalar: ScalarType): LeafStatistics = {
    val bounds = Bounds(
      value(root.path("minValues"), names).flatMap(RecordedStatistics.datum(_, scalar, isUpper = false)),
      value(root.path("maxValues"), names).flatMap(RecordedStatistics.datum(_, scalar, isUpper = true))
    )
    facts(nulls(names), if (bounds.hasNaN) Bounds.none else bounds)
  }

  /** How often a column is NULL, whatever it holds. */
  def presence(names: Seq[String]): LeafStatistics = facts(nulls(names), Bounds.none)

  /** Of a path: its type and its bounds, if the file's writer has recorded both for the path, and can be trusted. */
  def path(variant: Seq[String], path: String): Option[(ScalarType, LeafStatistics)] = if (!isOurs) None
  else
    for {
      lower <- bounds("minValues", variant).get(path)
      upper <- bounds("maxValues", variant).get(path) if upper.scalar == lower.scalar
      // A NaN that somebody took for a bound bounds nothing.
      found = Bounds(Some(lower.value), Some(upper.value)) if !found.hasNaN
    } yield (lower.scalar, facts(None, found))

  /** All paths of a variant that have any bound, whoever wrote it: the lower and the upper one. */
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

  private def value(of: JsonNode, names: Seq[String]): Option[JsonNode] =
    Some(names.foldLeft(of)((node, name) => node.path(name))).filterNot(n => n.isMissingNode || n.isNull)
}

object RecordedStatistics {
  private val mapper = new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)

  /** The type in which values of a column stand in statistics; None for those that have no bounds there. */
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

  /** None for what is no value of the type: an absent bound bounds nothing. */
  private def datum(node: JsonNode, scalar: ScalarType, isUpper: Boolean): Option[Datum] = Try(scalar match {
    case ScalarType.Float32 => Datum.Floating(node.asText.toFloat.toDouble)
    case ScalarType.Float64 => Datum.Floating(node.asText.toDouble)
    case ScalarType.Str if node.isTextual => Datum.Bytes(Shape.utf8(node.textValue))
    case ScalarType.Date => Datum.exact(LocalDate.parse(node.textValue.take(10)).toEpochDay)
    case ScalarType.Timestamp | ScalarType.TimestampNtz =>
      // Writers cut times off to milliseconds.
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
