/** The buffer of `shredding_shape`, and its result: the shape of a variant or the hot keys of a map. */
package shreddedvariant.source.function

import java.util.Locale

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.catalyst.util.MapData
import org.apache.spark.sql.types.{DataType, MapType}
import org.apache.spark.unsafe.types.VariantVal
import shreddedvariant.Errors
import shreddedvariant.binary.MalformedVariant
import shreddedvariant.infer.{Counts, Inference}
import shreddedvariant.maps.{HotKeys, KeyCounts}
import shreddedvariant.source.options.{InferenceLimits, MapColumns}

/** The counts of a column; the order and the partitions of the rows do not matter. */
sealed trait ShapeCounts {
  def addNull(): Unit
  def add(value: Any): Unit
  def merge(other: ShapeCounts): Unit
  def toBytes: Array[Byte]
}

/** The column that is counted: its type, its name for messages, and the limits of inference by name. */
final case class CountedColumn(dataType: DataType, name: String, limits: Map[String, String]) {
  private lazy val (reports, others) = limits.partition(_._1.equalsIgnoreCase(CountedColumn.Report))
  private lazy val ofVariants = InferenceLimits.ofMap(others)
  private lazy val ofMaps = MapColumns.limits(others)

  /** Whether the result is JSON with the text and `isCut`. */
  private lazy val isReport = reports.values.map(_.trim.toLowerCase(Locale.ROOT)).toSeq match {
    case Seq() | Seq("false") => false
    case Seq("true") => true
    case _ => throw Errors.optionValue(reports.head._1, reports.head._2, "true or false")
  }

  /** Refuses unknown limits and wrong values. */
  def check(): Unit = {
    isReport
    if (isMap) ofMaps else ofVariants
    ()
  }

  def empty: ShapeCounts =
    if (isMap) new MapCounts(new KeyCounts, dataType) else new VariantCounts(new Counts, name)

  def read(bytes: Array[Byte]): ShapeCounts =
    if (isMap) new MapCounts(KeyCounts.fromBytes(bytes), dataType)
    else new VariantCounts(Counts.fromBytes(bytes), name)

  /** The result, and whether paths or keys were left out of the counts. */
  def shape(counts: ShapeCounts): (String, Boolean) = {
    val (text, isCut) = counts match {
      case variants: VariantCounts =>
        val inferred = Inference.infer(Seq(variants.counts -> ofVariants)).head
        (inferred.shape.ddl, inferred.isCut)
      case maps: MapCounts => (HotKeys.text(maps.counts.hot(ofMaps)), maps.counts.isCut)
    }
    (if (isReport) CountedColumn.report(text, isCut) else text, isCut)
  }

  private def isMap = dataType.isInstanceOf[MapType]
}

object CountedColumn {
  val Report = "report"
  private val mapper = new ObjectMapper

  private def report(shape: String, isCut: Boolean) =
    mapper.writeValueAsString(mapper.createObjectNode().put("shape", shape).put("isCut", isCut))
}

private final class VariantCounts(val counts: Counts, name: String) extends ShapeCounts {
  override def addNull(): Unit = counts.addNull()
  override def add(value: Any): Unit = {
    val variant = value.asInstanceOf[VariantVal]
    try counts.add(variant.getMetadata, variant.getValue)
    catch { case e: MalformedVariant => throw Errors.malformedValue(name, e.reason) }
  }
  override def merge(other: ShapeCounts): Unit = counts.merge(other.asInstanceOf[VariantCounts].counts)
  override def toBytes: Array[Byte] = counts.toBytes
}

private final class MapCounts(val counts: KeyCounts, dataType: DataType) extends ShapeCounts {
  private val values = dataType.asInstanceOf[MapType].valueType
  override def addNull(): Unit = ()
  override def add(value: Any): Unit = counts.add(value.asInstanceOf[MapData], values)
  override def merge(other: ShapeCounts): Unit = counts.merge(other.asInstanceOf[MapCounts].counts)
  override def toBytes: Array[Byte] = counts.toBytes
}
