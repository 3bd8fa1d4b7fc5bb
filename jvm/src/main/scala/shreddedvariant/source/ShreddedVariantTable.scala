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
import org.apache.spark.sql.execution.datasources.{
  FileFormat,
  FileStatusCache,
  InMemoryFileIndex,
  PartitioningAwareFileIndex
}
import org.apache.spark.sql.execution.streaming.runtime.MetadataLogFileIndex
import org.apache.spark.sql.execution.streaming.sinks.FileStreamSink
import org.apache.spark.sql.types.{DataType, Metadata, StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import shreddedvariant.{Errors, SparkBridge}
import shreddedvariant.delta.DeltaSnapshot
import shreddedvariant.layout.PathColumn
import shreddedvariant.rules.PathTable

/**
 * The files of a table. `userSchema` is what the user gave on read, or the data's schema on write. Nothing is listed
 * before it is needed: a table that is about to be written need not exist.
 */
final case class TableFiles(paths: Seq[String], options: Map[String, String], userSchema: Option[StructType])
    extends SQLConfHelper {

  @transient private lazy val spark = SparkSession.active
  private def hadoopConf = spark.sessionState.newHadoopConfWithOptions(options)

  /** The Delta table that the path is, if it is one, at the version that the options ask for. */
  @transient lazy val delta: Option[DeltaSnapshot] = {
    val found = DeltaTables.open(paths, options, hadoopConf)
    for (table <- found; user <- userSchema if !isSame(user, table.schema))
      throw Errors.deltaSchema(table.root)
    found
  }

  /** Whether the path is a Delta table, of whatever columns. */
  @transient lazy val isDelta: Boolean = DeltaTables.find(paths, hadoopConf).isDefined

  @transient lazy val index: PartitioningAwareFileIndex =
    delta.fold(listed)(new DeltaFileIndex(spark, _, options))

  private def listed: PartitioningAwareFileIndex = {
    if (paths.isEmpty) throw Errors.noPath()
    val hadoop = hadoopConf
    if (FileStreamSink.hasMetadata(paths, hadoop, conf))
      new MetadataLogFileIndex(spark, new Path(paths.head), options, userSchema)
    else {
      val glob = options.collectFirst {
        case (k, v) if k.equalsIgnoreCase("__globPaths__") => v == "true"
      }.getOrElse(true)
      val ignored = new FileSourceOptions(options).ignoredPathSegmentRegexPattern
      val roots = SparkBridge.resolvePaths(paths, hadoop, glob, ignored)
      roots.foreach(DeltaGuard.check(_, hadoop, "a read by pattern"))
      new InMemoryFileIndex(spark, roots, options, userSchema, FileStatusCache.getOrCreate(spark))
    }
  }

  /** The columns that the files hold; those that paths hold are left out even if files repeat them. */
  lazy val dataSchema: StructType = {
    val fields = delta.map(_.schema)
      .orElse(userSchema)
      .orElse(SchemaInference.infer(spark, options, index.allFiles()))
      .getOrElse(throw Errors.noSchema(paths.mkString(", ")))
    val data =
      StructType(fields.filterNot(f => index.partitionSchema.exists(p => conf.resolver(p.name, f.name))))
    SparkBridge.checkColumnNames(data, conf.caseSensitiveAnalysis)
    SparkBridge.asNullable(data)
  }

  def schema: StructType =
    delta.fold(StructType(dataSchema ++ index.partitionSchema))(table => SparkBridge.asNullable(table.schema))

  private def isSame(a: StructType, b: StructType) = {
    def columns(of: StructType) = SparkBridge.asNullable(of).map(f => (f.name, f.dataType))
    columns(a) == columns(b)
  }
}

final case class ShreddedVariantTable(
    files: TableFiles,
    pathColumns: Seq[PathColumn],
    whole: Map[String, String]
) extends PathTable
    with SupportsRead
    with SupportsMetadataColumns {
  override def withPathColumns(columns: Seq[PathColumn]): PathTable = copy(pathColumns = columns)
  override def withWhole(reasons: Map[String, String]): PathTable = copy(whole = reasons)

  override lazy val columns: Array[Column] = files.schema.fields.map { f =>
    Column.create(f.name, f.dataType, f.nullable, f.getComment().orNull, FieldMetadata.json(f))
  }

  override def name: String = s"shredded_variant ${files.paths.mkString(",")}"

  override def partitioning: Array[Transform] =
    files.index.partitionSchema.fieldNames.map(name => Expressions.identity(s"`${name.replace("`", "``")}`"))

  override def properties: util.Map[String, String] = files.options.asJava

  override def capabilities: util.Set[TableCapability] =
    if (files.isDelta)
      util.EnumSet.of(
        TableCapability.BATCH_READ,
        TableCapability.V1_BATCH_WRITE,
        TableCapability.MICRO_BATCH_READ
      )
    // Spark's own source follows a directory.
    else util.EnumSet.of(TableCapability.BATCH_READ, TableCapability.V1_BATCH_WRITE)

  override def metadataColumns: Array[MetadataColumn] = Array(FileMetadataColumn)

  override def newScanBuilder(scanOptions: CaseInsensitiveStringMap): ScanBuilder =
    new ShreddedVariantScanBuilder(
      SparkSession.active,
      files,
      pathColumns,
      whole,
      files.options ++ scanOptions.asCaseSensitiveMap.asScala
    )
}

/** `_metadata`, as Spark's own file sources have it. */
object FileMetadataColumn extends MetadataColumn {
  override val name: String = FileFormat.METADATA_NAME
  override val dataType: DataType = new ShreddedVariantSource().createFileMetadataCol().dataType
  override val isNullable: Boolean = false
}

private object FieldMetadata {
  def json(field: StructField): String = if (field.metadata == Metadata.empty) null else field.metadata.json
}
