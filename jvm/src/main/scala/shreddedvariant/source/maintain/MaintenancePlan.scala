/** A table with one row of JSON: the size and the shapes of a table, and the effect of a rewrite. */
package shreddedvariant.source.maintain

import java.util

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{Column, SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.read.{LocalScan, Scan, ScanBuilder}
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.layout.Shape
import shreddedvariant.source.pin.{PinStore, Pins}
import shreddedvariant.source.table.TableFiles

final case class MaintenancePlan(files: TableFiles, rewrite: Rewrite) extends Table with SupportsRead {
  override def name: String = s"shredded_variant maintenance of ${files.paths.mkString(",")}"
  override def columns: Array[Column] = Array(Column.create("plan", StringType))
  override def capabilities: util.Set[TableCapability] = util.EnumSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = () =>
    new LocalScan {
      override def readSchema(): StructType = new StructType().add("plan", StringType)
      override def rows(): Array[InternalRow] = Array(InternalRow(UTF8String.fromString(json)))
      override def description(): String = name
    }: Scan

  private def json: String = {
    val mapper = new ObjectMapper
    val index = files.index
    val all = index.listFiles(Nil, Nil).flatMap(_.files)
    val bins = rewrite.bins(index)
    val root = mapper.createObjectNode()
      .put("delta", files.delta.isDefined)
      .put("files", all.size)
      .put("bytes", all.map(_.getLen).sum)
      .put("rewritten_files", bins.map(_.files.size).sum)
      .put("rewritten_bytes", bins.map(_.bytes).sum)
      .put("written_files", bins.size)
      .put("trusted_files", files.delta.fold(0)(_.files.count(_.isOurs)))
    val partitions = root.putArray("partition_columns")
    index.partitionSchema.fieldNames.foreach(partitions.add)
    val shapes = root.putObject("shapes")
    for ((column, pin) <- pins.columns.toSeq.sortBy(_._1.mkString(".")))
      shapes.put(column.map(Shape.quoted).mkString("."), pin.shape.ddl)
    mapper.writeValueAsString(root)
  }

  /** The shapes that a directory keeps; the Python package passes them to the directory of the copy. */
  private def pins: Pins = files.index.rootPaths match {
    case Seq(root: Path) if files.delta.isEmpty =>
      val hadoop = SparkSession.active.sessionState.newHadoopConfWithOptions(files.options)
      new PinStore(root, hadoop).read().getOrElse(Pins.none)
    case _ => Pins.none
  }

  override def properties: util.Map[String, String] = files.options.asJava
}
