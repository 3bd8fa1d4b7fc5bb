/** The V1 file format: Spark uses it to read streams and paths in SQL, and to write directories. */
package shreddedvariant.source.format

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.hadoop.mapreduce.Job
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat
import org.apache.parquet.hadoop.util.ContextUtil
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.{
  FileFormat,
  InsertIntoHadoopFsRelationCommand,
  OutputWriterFactory,
  PartitionedFile
}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.{DataType, StructField, StructType}
import shreddedvariant.{Options, SparkBridge}
import shreddedvariant.parquet.write.{JobCommitter, StagingDirectory}
import shreddedvariant.source.options.{SourceOptions, VariantColumns, WriteMarks}
import shreddedvariant.source.pin.{DirectoryPins, Pinning}
import shreddedvariant.source.scan.ReadJobs
import shreddedvariant.source.table.{DeltaPathCheck, SchemaInference}
import shreddedvariant.source.maintain.Maintenance
import shreddedvariant.source.options.GivenOptions

class ShreddedVariantFormat extends FileFormat with Serializable {
  override def toString(): String = "shredded_variant"
  override def hashCode(): Int = getClass.hashCode
  override def equals(other: Any): Boolean = other.isInstanceOf[ShreddedVariantFormat]

  // ---- reading ----

  /** The routes of this class, as [[DeltaPathCheck]] names them in its error. */
  private val FileRoutes = "a read or write through Spark's V1 file sources"

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
    // Streams name their directory by `basePath`, other routes by `path`. Patterns are checked file by file.
    val paths = Seq("path", "basePath").flatMap(Options.get(options, _)).map(new Path(_))
    val directories = paths.filterNot(SparkBridge.isGlob)
    directories.foreach(DeltaPathCheck.check(_, hadoopConf, FileRoutes))
    val areChecked = directories.nonEmpty && directories.size == paths.size
    val batches = options.get(FileFormat.OPTION_RETURNING_BATCH).contains("true")
    val job = ReadJobs.create(spark, merged.all, requiredSchema, Map.empty, partitionSchema)
    FileFormatReader(job, ReadJobs.hadoopConf(spark, merged.all), batches, isChecked = areChecked)
  }

  // ---- writing ----

  final override def prepareWrite(
      spark: SparkSession,
      job: Job,
      options: Map[String, String],
      dataSchema: StructType
  ): OutputWriterFactory = prepare(FileWrites(spark, job, options, dataSchema))

  protected def prepare(files: FileWrites): OutputWriterFactory = {
    val merged = SourceOptions.withDefaults(files.options)
    val sqlConf = files.spark.sessionState.conf
    val columns = new VariantColumns(files.dataSchema, sqlConf.caseSensitiveAnalysis)
    val write = columns.writeJob(merged)
    val conf = ContextUtil.getConfiguration(files.job)
    val table = StagingDirectory.tableOf(FileOutputFormat.getOutputPath(files.job))
    if (!WriteMarks.isOfFiles(files.options)) DeltaPathCheck.check(table, conf, FileRoutes)
    // By name, so that pins are added after all checks: a refused write changes nothing.
    def pinned = {
      val pins = new DirectoryPins(files.spark, table, conf, merged.all)
      new Pinning(pins, conf, merged.all)(write)
    }
    val factory = files.copy(options = merged.all).prepare(pinned)
    JobCommitter.install(conf, Options.keepTemporary(merged.all))
    factory
  }
}

/** Matches Spark's V1 write of a directory in this format. */
object FormatInsert {
  def unapply(plan: LogicalPlan): Option[InsertIntoHadoopFsRelationCommand] = plan match {
    case insert: InsertIntoHadoopFsRelationCommand
        if insert.fileFormat.isInstanceOf[ShreddedVariantFormat] => Some(insert)
    case _ => None
  }

  def options(insert: InsertIntoHadoopFsRelationCommand): GivenOptions =
    SourceOptions.withDefaults(Maintenance.without(insert.options))

  def hadoopConf(insert: InsertIntoHadoopFsRelationCommand): Configuration =
    SparkSession.active.sessionState.newHadoopConfWithOptions(insert.options)
}
