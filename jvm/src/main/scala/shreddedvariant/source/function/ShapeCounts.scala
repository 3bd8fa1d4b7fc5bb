/** What `shredding_shape` counts of a column, and the text that it makes of it: a shape of variants, hot keys of maps. */
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

/** The same for rows in any order and partitions. */
sealed trait ShapeCounts {
  def addNull(): Unit
  def add(value: Any): Unit
  def merge(other: ShapeCounts): Unit
  def toBytes: Array[Byte]
}

/** What is known of a column before any row is: its type, its name for messages, and the limits by their names. */
final case class CountedColumn(dataType: DataType, name: String, limits: Map[String, String]) {
  private lazy val (reports, others) = limits.partition(_._1.equalsIgnoreCase(CountedColumn.Report))
  private lazy val ofVariants = InferenceLimits.ofMap(others)
  private lazy val ofMaps = MapColumns.limits(others)

  /** Whether the text is JSON that also says if something was left out. */
  private lazy val isReport = reports.values.map(_.trim.toLowerCase(Locale.ROOT)).toSeq match {
    case Seq() | Seq("false") => false
    case Seq("true") => true
    case _ => throw Errors.optionValue(reports.head._1, reports.head._2, "true or false")
  }

  /** Refuses limits that cannot be meant. */
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

  /** The text, as options take it, and whether it rests on a part of the values only. */
  def shape(counts: ShapeCounts): (String, Boolean) = {
    val (text, isCut) = counts match {
      case of: VariantCounts =>
        val inferred = Inference.infer(Seq(of.counts -> ofVariants)).head
        (inferred.shape.ddl, inferred.isCut)
      case of: MapCounts => (HotKeys.text(of.counts.hot(ofMaps)), of.counts.isCut)
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
