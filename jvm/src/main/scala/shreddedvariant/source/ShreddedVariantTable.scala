/** A directory of Parquet files or a Delta table, as a DSv2 table of Spark. */
package shreddedvariant.source

import java.util

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.expressions.{Expressions, Transform}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, Metadata, StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import shreddedvariant.Options
import shreddedvariant.layout.PathColumn
import shreddedvariant.rules.PathTable
import shreddedvariant.source.format.ShreddedVariantFormat
import shreddedvariant.source.maintain.Maintenance
import shreddedvariant.source.options.{GivenOptions, SourceOptions, VariantColumns}
import shreddedvariant.source.scan.ShreddedVariantScanBuilder
import shreddedvariant.source.table.{CatalogEntry, SourceTable, TableFiles}
import shreddedvariant.source.write.TableWriteBuilder

final case class ShreddedVariantTable(
    files: TableFiles,
    pathColumns: Seq[PathColumn],
    whole: Map[String, String]
) extends SourceTable
    with SupportsRead
    with SupportsWrite
    with SupportsMetadataColumns {
  override def withPathColumns(columns: Seq[PathColumn]): PathTable = copy(pathColumns = columns)
  override def withWhole(reasons: Map[String, String]): PathTable = copy(whole = reasons)

  override lazy val columns: Array[Column] = files.schema.fields.map { f =>
    Column.create(f.name, f.dataType, f.nullable, f.getComment().orNull, FieldMetadata.json(f))
  }

  override def name: String = s"shredded_variant ${files.paths.mkString(",")}"

  override def partitioning: Array[Transform] =
    files.partitionColumns.map(name => Expressions.identity(s"`${name.replace("`", "``")}`")).toArray

  override def properties: util.Map[String, String] =
    files.catalog.fold(files.options)(_.shown).asJava

  /** `save(path)` goes to V1, which supports all save modes; streams from a directory go to V1 too. */
  override def capabilities: util.Set[TableCapability] = {
    val all = util.EnumSet.of(
      TableCapability.BATCH_READ,
      TableCapability.TRUNCATE,
      TableCapability.OVERWRITE_BY_FILTER
    )
    if (files.catalog.isEmpty) all.add(TableCapability.V1_BATCH_WRITE)
    else {
      all.add(TableCapability.BATCH_WRITE)
      all.add(TableCapability.OVERWRITE_DYNAMIC)
    }
    if (files.isDelta) all.add(TableCapability.MICRO_BATCH_READ)
    all
  }

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = new TableWriteBuilder(info)

  override def metadataColumns: Array[MetadataColumn] = Array(FileMetadataColumn)

  override def newScanBuilder(scanOptions: CaseInsensitiveStringMap): ScanBuilder = {
    val options = GivenOptions(scanOptions.asCaseSensitiveMap.asScala.toMap, files.options).all
    // Maintenance options come from `load`; a table of a catalog does not have them.
    val isMaintained = files.catalog.isEmpty && Maintenance.of(files.options).isDefined
    Options.check(if (isMaintained) Maintenance.without(options) else options)
    new ShreddedVariantScanBuilder(SparkSession.active, files.reading(options), pathColumns, whole, options)
  }
}

object ShreddedVariantTable {

  /** The table of a load or save. All options are checked here, before any file is written or deleted. */
  def of(options: CaseInsensitiveStringMap, schema: Option[StructType]): ShreddedVariantTable = {
    val all = options.asCaseSensitiveMap.asScala.toMap
    val (pathOptions, rest) = all.partition { case (k, _) =>
      k.equalsIgnoreCase("path") || k.equalsIgnoreCase("paths")
    }
    val merged = SourceOptions.withDefaults(Maintenance.without(rest))
    val maintenance = rest.filter { case (key, _) => Options.isMaintenance(key) }
    Maintenance.of(maintenance)
    schema match {
      case Some(columns) => new VariantColumns(columns, SQLConf.get.caseSensitiveAnalysis).check(merged)
      case None => Options.check(merged.all)
    }
    val paths = pathOptions.toSeq.flatMap {
      case (key, value) => if (key.equalsIgnoreCase("paths")) parsed(value) else Seq(value)
    }
    val read = if (maintenance.isEmpty) merged.all else Maintenance.complete(merged.all) ++ maintenance
    val files = TableFiles(paths, read, schema)
    files.check()
    ShreddedVariantTable(files, Nil, Map.empty)
  }

  /** A table of a catalog. Its options are not checked: Spark has to load the table to alter or drop it. */
  def ofCatalog(
      properties: Map[String, String],
      schema: Option[StructType],
      partitioning: Seq[Transform]
  ): ShreddedVariantTable = {
    val entry = CatalogEntry.of(properties, partitioning)
    val path = Options.get(properties, "path").orElse(properties.get(TableCatalog.PROP_LOCATION))
    val options = SourceOptions.withDefaults(entry.options).all
    ShreddedVariantTable(TableFiles(path.toSeq, options, schema, Some(entry)), Nil, Map.empty)
  }

  private def parsed(paths: String): Seq[String] =
    new ObjectMapper().readValue(paths, classOf[Array[String]]).toSeq
}

/** The column `_metadata`, as in Spark's own file sources. */
object FileMetadataColumn extends MetadataColumn {
  override val name: String = FileFormat.METADATA_NAME
  override val dataType: DataType = new ShreddedVariantFormat().createFileMetadataCol().dataType
  override val isNullable: Boolean = false
}

private object FieldMetadata {
  def json(field: StructField): String = if (field.metadata == Metadata.empty) null else field.metadata.json
}
