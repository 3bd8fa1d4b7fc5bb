/** One scan of a table: its columns, its partitions, its readers. */
package shreddedvariant.source

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.{FileSourceOptions, InternalRow}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory, Scan}
import org.apache.spark.sql.connector.read.Scan.ColumnarSupportMode
import org.apache.spark.sql.execution.datasources.{PartitionedFile, PartitioningAwareFileIndex}
import org.apache.spark.sql.execution.datasources.parquet.ParquetOptions
import org.apache.spark.sql.execution.datasources.v2.{FilePartitionReaderFactory, FileScan, FileScanBuilder}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.util.SerializableConfiguration
import shreddedvariant.Options
import shreddedvariant.layout.{PathColumn, Shape}
import shreddedvariant.parquet.{BatchReader, ReadJob, RebaseModes, TypeMapping, VariantLimits}
import shreddedvariant.rules.PathScan

final class ShreddedVariantScanBuilder(
    spark: SparkSession,
    files: TableFiles,
    paths: Seq[PathColumn],
    whole: Map[String, String],
    options: Map[String, String]
) extends FileScanBuilder(spark, files.index, files.dataSchema) {
  override protected val supportsNestedSchemaPruning: Boolean = true

  override def build(): Scan =
    ShreddedVariantScan(
      spark,
      files.index,
      files.dataSchema,
      readDataSchema(),
      paths,
      whole,
      readPartitionSchema(),
      options,
      partitionFilters,
      dataFilters
    )
}

final case class ShreddedVariantScan(
    sparkSession: SparkSession,
    fileIndex: PartitioningAwareFileIndex,
    dataSchema: StructType,
    readDataSchema: StructType,
    paths: Seq[PathColumn],
    whole: Map[String, String],
    readPartitionSchema: StructType,
    options: Map[String, String],
    partitionFilters: Seq[Expression],
    dataFilters: Seq[Expression]
) extends FileScan
    with PathScan {
  override def withWhole(reasons: Map[String, String]): PathScan = copy(whole = reasons)

  override def isSplitable(path: Path): Boolean = true

  /** The paths that are read as columns, by the names of these. */
  private def readPaths: Map[String, PathColumn] =
    paths.map(p => p.name -> p).toMap.filter { case (name, _) => readDataSchema.fieldNames.contains(name) }

  override def getMetaData(): Map[String, String] =
    super.getMetaData() ++ Map(
      "Format" -> "shredded_variant",
      "Leaves" -> readLeaves.mkString("[", ", ", "]")
    ) ++ Option.when(whole.nonEmpty)("Whole" -> reasons.mkString("[", "; ", "]"))

  /** Why variants are read whole, in the order of the columns. */
  private def reasons: Seq[String] =
    readDataSchema.fieldNames.toSeq.flatMap(name =>
      whole.get(name).map(why => s"${Shape.quoted(name)}: $why")
    )

  /** What is read of the files: paths of variants, and the other columns whole. */
  private def readLeaves: Seq[String] =
    readDataSchema.fieldNames.toSeq.map(name => readPaths.get(name).fold(Shape.quoted(name))(_.leaf)).distinct

  override def columnarSupportMode: ColumnarSupportMode = ColumnarSupportMode.SUPPORTED

  override def createReaderFactory(): PartitionReaderFactory = {
    val job = ReadJobs.create(sparkSession, options, readDataSchema, readPaths, readPartitionSchema)
    val files = new FileSourceOptions(CaseInsensitiveMap(options))
    new BatchReaderFactory(job, ReadJobs.hadoopConf(sparkSession, options), files)
  }
}

object ReadJobs {
  def create(
      spark: SparkSession,
      options: Map[String, String],
      columns: StructType,
      paths: Map[String, PathColumn],
      partitions: StructType
  ): ReadJob = {
    val sqlConf = spark.sessionState.conf
    val parquet = new ParquetOptions(CaseInsensitiveMap(options), sqlConf)
    ReadJob(
      columns = columns,
      paths = paths,
      partitions = partitions,
      limits = VariantLimits(Options.maxVariantDepth(options), Options.maxVariantBytes(options)),
      rebasing = RebaseModes(
        datetime = parquet.datetimeRebaseModeInRead,
        int96 = parquet.int96RebaseModeInRead,
        convertInt96 = sqlConf.isParquetINT96TimestampConversion,
        sessionZone = sqlConf.sessionLocalTimeZone
      ),
      types = TypeMapping.of(sqlConf),
      caseSensitive = sqlConf.caseSensitiveAnalysis,
      batchSize = sqlConf.parquetVectorizedReaderBatchSize,
      offHeap = sqlConf.offHeapColumnVectorEnabled
    )
  }

  def hadoopConf(spark: SparkSession, options: Map[String, String]): Broadcast[SerializableConfiguration] =
    spark.sparkContext.broadcast(
      new SerializableConfiguration(spark.sessionState.newHadoopConfWithOptions(options))
    )
}

final class BatchReaderFactory(
    job: ReadJob,
    conf: Broadcast[SerializableConfiguration],
    protected val options: FileSourceOptions
) extends FilePartitionReaderFactory {
  override def supportColumnarReads(partition: InputPartition): Boolean = true

  override def buildColumnarReader(file: PartitionedFile): PartitionReader[ColumnarBatch] = open(file)

  override def buildReader(file: PartitionedFile): PartitionReader[InternalRow] =
    new RowReader(open(file))

  private def open(file: PartitionedFile) = new BatchReader(file, job, conf.value.value)
}

/** Rows of a batch reader, for those who take no batches. */
final class RowReader(batches: BatchReader) extends PartitionReader[InternalRow] {
  private var rows: Iterator[InternalRow] = Iterator.empty

  override def next(): Boolean = {
    while (!rows.hasNext && batches.next()) rows = batches.get().rowIterator().asScala
    rows.hasNext
  }
  override def get(): InternalRow = rows.next()
  override def close(): Unit = batches.close()
}
