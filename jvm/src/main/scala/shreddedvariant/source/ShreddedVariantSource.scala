/**
 * The format `shredded_variant`: one class that is Spark's provider of tables and its V1 file format.
 *
 * `load` and `save` meet the provider. Its tables leave path writes to V1, whose commit Spark has had for years; streams
 * and path SQL meet the file format directly. Both read and write through the same readers and writers.
 */
package shreddedvariant.source

import java.util

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.hadoop.mapreduce.Job
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat
import org.apache.parquet.hadoop.util.ContextUtil
import org.apache.spark.sql.{SQLContext, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.connector.catalog.{SessionConfigSupport, Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.execution.datasources.{FileFormat, OutputWriterFactory, PartitionedFile}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.execution.streaming.Sink
import org.apache.spark.sql.execution.streaming.sinks.FileStreamSink
import org.apache.spark.sql.sources.{DataSourceRegister, Filter, StreamSinkProvider}
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.{DataType, StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import shreddedvariant.{Errors, Options, SparkBridge, SparkVersion}
import shreddedvariant.delta.DeltaLog
import shreddedvariant.parquet.write.{JobCommitter, StagingDirectory}

class ShreddedVariantSource
    extends TableProvider
    with FileFormat
    with DataSourceRegister
    with SessionConfigSupport
    with StreamSinkProvider
    with Serializable {
  SparkVersion.check()
  // Before any plan of the format is optimised: this is made for each, and some ask it for no table.
  LateRules.install()

  override def shortName(): String = "shredded_variant"
  override def keyPrefix(): String = "shredded_variant"
  override def toString(): String = "shredded_variant"
  override def hashCode(): Int = getClass.hashCode
  override def equals(other: Any): Boolean = other.isInstanceOf[ShreddedVariantSource]

  // ---- provider ----

  private var inferred: Option[Table] = None

  override def supportsExternalMetadata(): Boolean = true

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = {
    val all = options.asCaseSensitiveMap.asScala.toMap
    val table =
      if (CatalogEntry.isOne(all)) CatalogEntry.table(all, None, Nil) else SourceOptions.table(options, None)
    val asked = MaintenanceTables.of(table)
    inferred = asked.orElse(Some(table))
    asked.fold(table.files.schema)(MaintenanceTables.schema)
  }

  /** Asked also of paths that do not exist yet; of a catalog's after their schema. */
  override def inferPartitioning(options: CaseInsensitiveStringMap): Array[Transform] =
    inferred match {
      case Some(table: ShreddedVariantTable) if table.files.catalog.isDefined => table.partitioning
      case _ => Array.empty
    }

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: util.Map[String, String]
  ): Table = {
    val all = properties.asScala.toMap
    if (CatalogEntry.isOne(all)) CatalogEntry.table(all, Some(schema), partitioning.toSeq)
    else
      inferred.getOrElse {
        val table = SourceOptions.table(new CaseInsensitiveStringMap(properties), Some(schema))
        MaintenanceTables.checkSchema(table)
        table
      }
  }

  // ---- file format: reading ----

  private val FileRoutes = "this route"

  override def inferSchema(
      spark: SparkSession,
      options: Map[String, String],
      files: Seq[FileStatus]
  ): Option[StructType] = {
    files.headOption.foreach(f =>
      DeltaPathCheck.check(
        f.getPath.getParent,
        spark.sessionState.newHadoopConfWithOptions(options),
        FileRoutes
      )
    )
    SchemaInference.infer(spark, options, files)
  }

  override def isSplitable(spark: SparkSession, options: Map[String, String], path: Path): Boolean = true

  override def supportBatch(spark: SparkSession, schema: StructType): Boolean =
    spark.sessionState.conf.parquetVectorizedReaderEnabled

  override def supportDataType(dataType: DataType): Boolean =
    new ParquetFileFormat().supportDataType(dataType)

  override def metadataSchemaFields: Seq[StructField] =
    super.metadataSchemaFields :+ ParquetFileFormat.ROW_INDEX_FIELD

  override def buildReaderWithPartitionValues(
      spark: SparkSession,
      dataSchema: StructType,
      partitionSchema: StructType,
      requiredSchema: StructType,
      filters: Seq[Filter],
      options: Map[String, String],
      hadoopConf: Configuration
  ): PartitionedFile => Iterator[InternalRow] = {
    val merged = SourceOptions.withDefaults(options)
    Options.check(merged.all)
    // Streams say by `basePath` what they list, other routes by `path`; patterns are looked at when files are opened.
    val named = Seq("path", "basePath").flatMap(Options.get(options, _)).map(new Path(_))
    val listed = named.filterNot(SparkBridge.isGlob)
    listed.foreach(DeltaPathCheck.check(_, hadoopConf, FileRoutes))
    val batches = options.get(FileFormat.OPTION_RETURNING_BATCH).contains("true")
    val job = ReadJobs.create(spark, merged.all, requiredSchema, Map.empty, partitionSchema)
    FileFormatReader(job, ReadJobs.hadoopConf(spark, merged.all), batches, isChecked = listed.nonEmpty)
  }

  // ---- file format: writing ----

  /** Spark's own sink of files, or ours of Delta tables. */
  override def createSink(
      context: SQLContext,
      parameters: Map[String, String],
      partitionColumns: Seq[String],
      mode: OutputMode
  ): Sink = {
    val path = new Path(Options.get(parameters, "path").getOrElse(throw Errors.noPath()))
    val hadoop = context.sparkSession.sessionState.newHadoopConfWithOptions(parameters)
    if (DeltaLog.isTable(path, hadoop) || Options.isDelta(SourceOptions.withDefaults(parameters).all))
      new DeltaStreamSink(path, asWritten(parameters), partitionColumns, mode, hadoop)
    else fileSink(context, path, parameters, partitionColumns, mode, hadoop)
  }

  /** Properties of a table are spelled as the user has spelled them. */
  private def asWritten(options: Map[String, String]) = options match {
    case lower: CaseInsensitiveMap[String @unchecked] => lower.originalMap
    case other => other
  }

  private def fileSink(
      context: SQLContext,
      path: Path,
      parameters: Map[String, String],
      partitionColumns: Seq[String],
      mode: OutputMode,
      hadoop: Configuration
  ): Sink = {
    DeltaPathCheck.checkAbove(path, hadoop)
    if (mode != OutputMode.Append()) throw SparkBridge.unsupportedOutputMode(shortName(), mode)
    val qualified = path.getFileSystem(hadoop).makeQualified(path).toString
    new FileStreamSink(context.sparkSession, qualified, this, partitionColumns, parameters)
  }

  override def prepareWrite(
      spark: SparkSession,
      job: Job,
      options: Map[String, String],
      dataSchema: StructType
  ): OutputWriterFactory = {
    val merged = SourceOptions.withDefaults(options)
    val columns = new VariantColumns(dataSchema, spark.sessionState.conf.caseSensitiveAnalysis)
    val write = columns.writeJob(merged)
    val conf = ContextUtil.getConfiguration(job)
    val table = StagingDirectory.tableOf(FileOutputFormat.getOutputPath(job))
    if (!WriteRule.isOfFiles(options)) DeltaPathCheck.check(table, conf, FileRoutes)
    // Pins are made last: a write that is refused changes nothing.
    def pinned = new Pinning(new DirectoryPins(spark, table, conf, merged.all), conf, merged.all)(write)
    val factory = FileWrites.prepare(spark, job, merged.all, dataSchema, pinned)
    JobCommitter.install(conf, Options.keepTemporary(merged.all))
    factory
  }
}

/** Options as they reach the source on its different ways. */
object SourceOptions {

  /** The table behind options of load or save; all of them are checked here, before anything is written or deleted. */
  def table(options: CaseInsensitiveStringMap, schema: Option[StructType]): ShreddedVariantTable = {
    val all = options.asCaseSensitiveMap.asScala.toMap
    val (pathOptions, rest) = all.partition { case (k, _) =>
      k.equalsIgnoreCase("path") || k.equalsIgnoreCase("paths")
    }
    val merged = withDefaults(Maintenance.without(rest))
    val maintenance = rest.filter { case (key, _) => Options.isMaintenance(key) }
    Maintenance.of(maintenance)
    Options.check(merged.all)
    schema.foreach(new VariantColumns(_, SQLConf.get.caseSensitiveAnalysis).check(merged))
    val paths = pathOptions.toSeq.flatMap {
      case (key, value) => if (key.equalsIgnoreCase("paths")) Paths.parse(value) else Seq(value)
    }
    val read = if (maintenance.isEmpty) merged.all else Maintenance.complete(merged.all) ++ maintenance
    val files = TableFiles(paths, read, schema)
    files.check()
    ShreddedVariantTable(files, Nil, Map.empty)
  }

  /** Splits off what the session says: `load` and `save` have mixed its defaults in, the V1 ways have not. */
  def withDefaults(options: Map[String, String]): GivenOptions = {
    val session = SQLConf.get.getAllConfs.collect {
      case (key, value) if key.startsWith(Options.SessionPrefix) =>
        key.stripPrefix(Options.SessionPrefix) -> value
    }
    GivenOptions(options.filterNot { case (key, value) => session.get(key).contains(value) }, session)
  }

  def codec(options: Map[String, String]): String =
    Options.get(options, Options.Compression).orElse(Options.get(options, "parquet.compression")).getOrElse(
      "zstd"
    )
}

private object Paths {
  import com.fasterxml.jackson.databind.ObjectMapper

  def parse(json: String): Seq[String] = new ObjectMapper().readValue(json, classOf[Array[String]]).toSeq

  def isGlob(path: String): Boolean = SparkBridge.isGlob(new Path(path))
}
