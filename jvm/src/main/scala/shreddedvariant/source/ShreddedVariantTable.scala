/** A directory of Parquet files as Spark's planner sees it. */
package shreddedvariant.source

import java.util

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.{FileSourceOptions, SQLConfHelper}
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.expressions.{Expressions, Transform}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.execution.datasources.{FileFormat, FileStatusCache, InMemoryFileIndex, PartitioningAwareFileIndex}
import org.apache.spark.sql.execution.streaming.runtime.MetadataLogFileIndex
import org.apache.spark.sql.execution.streaming.sinks.FileStreamSink
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import shreddedvariant.{Errors, SparkBridge}

/**
 * `userSchema` is what the user gave on read, or the data's schema on write. Nothing is listed before it is needed: a
 * table that is about to be written need not exist.
 */
final case class ShreddedVariantTable(paths: Seq[String], options: Map[String, String], userSchema: Option[StructType])
    extends Table
    with SupportsRead
    with SupportsMetadataColumns
    with SQLConfHelper {

  @transient private lazy val spark = SparkSession.active
  private def hadoopConf = spark.sessionState.newHadoopConfWithOptions(options)

  @transient lazy val files: PartitioningAwareFileIndex = {
    if (paths.isEmpty) throw Errors.noPath()
    val hadoop = hadoopConf
    if (FileStreamSink.hasMetadata(paths, hadoop, conf))
      new MetadataLogFileIndex(spark, new Path(paths.head), options, userSchema)
    else {
      val glob = options.collectFirst { case (k, v) if k.equalsIgnoreCase("__globPaths__") => v == "true" }.getOrElse(true)
      val ignored = new FileSourceOptions(options).ignoredPathSegmentRegexPattern
      val roots = SparkBridge.resolvePaths(paths, hadoop, glob, ignored)
      roots.foreach(DeltaGuard.check(_, hadoop))
      new InMemoryFileIndex(spark, roots, options, userSchema, FileStatusCache.getOrCreate(spark))
    }
  }

  /** The columns that the files hold; those that paths hold are left out even if files repeat them. */
  lazy val dataSchema: StructType = {
    val fields = userSchema
      .orElse(SchemaInference.infer(spark, options, files.allFiles()))
      .getOrElse(throw Errors.noSchema(paths.mkString(", ")))
    val data = StructType(fields.filterNot(f => files.partitionSchema.exists(p => conf.resolver(p.name, f.name))))
    SparkBridge.checkColumnNames(data, conf.caseSensitiveAnalysis)
    SparkBridge.asNullable(data)
  }

  /** A table that is only written need not be listed to know its columns. */
  override lazy val columns: Array[Column] = {
    val fields = dataSchema.fields ++ files.partitionSchema.fields
    fields.map(f => Column.create(f.name, f.dataType, f.nullable, f.getComment().orNull, Metadata.of(f)))
  }

  override def name: String = s"shredded_variant ${paths.mkString(",")}"

  override def partitioning: Array[Transform] =
    files.partitionSchema.fieldNames.map(name => Expressions.identity(s"`${name.replace("`", "``")}`"))

  override def properties: util.Map[String, String] = options.asJava

  override def capabilities: util.Set[TableCapability] =
    util.EnumSet.of(TableCapability.BATCH_READ, TableCapability.V1_BATCH_WRITE)

  override def metadataColumns: Array[MetadataColumn] = Array(FileMetadataColumn)

  override def newScanBuilder(scanOptions: CaseInsensitiveStringMap): ScanBuilder =
    new ShreddedVariantScanBuilder(spark, files, dataSchema, options ++ scanOptions.asCaseSensitiveMap.asScala)
}

/** `_metadata`, as Spark's own file sources have it. */
object FileMetadataColumn extends MetadataColumn {
  override val name: String = FileFormat.METADATA_NAME
  override val dataType: DataType = new ShreddedVariantSource().createFileMetadataCol().dataType
  override val isNullable: Boolean = false
}

private object Metadata {
  def of(field: org.apache.spark.sql.types.StructField): String =
    if (field.metadata == org.apache.spark.sql.types.Metadata.empty) null else field.metadata.json
}
