/** One scan of a table: its columns, its partitions, its readers. */
package shreddedvariant.source

import java.util.UUID

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.spark.TaskContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.{FileSourceOptions, InternalRow}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.connector.expressions.SortOrder
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.read.{
  InputPartition,
  PartitionReader,
  PartitionReaderFactory,
  Scan,
  SupportsPushDownAggregates,
  SupportsPushDownLimit,
  SupportsPushDownTopN
}
import org.apache.spark.sql.connector.read.Scan.ColumnarSupportMode
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.execution.datasources.{
  DataSourceUtils,
  FilePartition,
  PartitionedFile,
  PartitioningAwareFileIndex
}
import org.apache.spark.sql.execution.datasources.parquet.ParquetOptions
import org.apache.spark.sql.execution.datasources.v2.{
  FilePartitionReader,
  FilePartitionReaderFactory,
  FileScan,
  FileScanBuilder
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.util.SerializableConfiguration
import shreddedvariant.Options
import shreddedvariant.layout.{PathColumn, Shape}
import shreddedvariant.parquet.bind.{ReadJob, RebaseModes, TypeMapping}
import shreddedvariant.parquet.read.{BatchReader, ReadCount, ReadCounts}
import shreddedvariant.parquet.vector.VariantLimits
import shreddedvariant.stats.{FirstRows, Predicate, Top}
import shreddedvariant.rules.PathScan

final class ShreddedVariantScanBuilder(
    spark: SparkSession,
    files: TableFiles,
    paths: Seq[PathColumn],
    whole: Map[String, String],
    options: Map[String, String]
) extends FileScanBuilder(spark, files.index, files.dataSchema)
    with SupportsPushDownAggregates
    with SupportsPushDownLimit
    with SupportsPushDownTopN {
  override protected val supportsNestedSchemaPruning: Boolean = true

  private var aggregates: Option[PushedAggregates] = None
  private var limit: Option[Int] = None
  private var top: Option[Top] = None

  /**
   * A file that turns out to be damaged gives the rows before the damage and no error: what its footer promises may never
   * come. Law: where that is allowed, no rows are left out for those of a footer, and nothing is answered from one. A
   * file that is missing is found so before its footer is read, and a limit ends each split by rows that were read.
   */
  private lazy val isDamageIgnored = new FileSourceOptions(CaseInsensitiveMap(options)).ignoreCorruptFiles

  private def known = paths.map(p => p.name -> p).toMap
  private def caseSensitive = spark.sessionState.conf.caseSensitiveAnalysis

  /** Rows that a filter may drop are none of the footer's. */
  override def pushAggregation(aggregation: Aggregation): Boolean = {
    val reader = new ScanAggregates(known, files.dataSchema, files.index.partitionSchema, caseSensitive)
    aggregates = if (dataFilters.isEmpty && !isDamageIgnored) reader.read(aggregation) else None
    aggregates.isDefined
  }

  /** Asked for where every row of the scan counts; each split gives up to so many, and Spark takes those that it needs. */
  override def pushLimit(limit: Int): Boolean = {
    this.limit = Some(limit)
    true
  }

  /** Asked for where every row of the scan counts, as a limit is; Spark sorts what is left. */
  override def pushTopN(orders: Array[SortOrder], limit: Int): Boolean = {
    val order = new ScanOrder(known, files.dataSchema, caseSensitive)
    top = if (isDamageIgnored) None else order.read(orders.toSeq, limit)
    top.isDefined
  }

  /** Of a limit and of an order alike: a split gives what may be among the rows that are asked for. */
  override def isPartiallyPushed(): Boolean = true

  override def build(): Scan = aggregates match {
    case Some(pushed) =>
      val columns = StructType(pushed.columns.map(_.field).distinct)
      AggregateScan(scan(columns, pushed.paths, StructType(pushed.groupBy.distinct)), pushed)
    case None => scan(readDataSchema(), paths, readPartitionSchema()).copy(limit = limit, top = top)
  }

  private def scan(
      columns: StructType,
      paths: Seq[PathColumn],
      partitions: StructType
  ) =
    ShreddedVariantScan(
      spark,
      files.index,
      files.dataSchema,
      columns,
      paths,
      whole,
      partitions,
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
    dataFilters: Seq[Expression],
    limit: Option[Int] = None,
    top: Option[Top] = None
) extends FileScan
    with PathScan
    with RuntimeFiltered {
  override def withWhole(reasons: Map[String, String]): PathScan = copy(whole = reasons)

  /** Whether it gives all rows of its files. */
  def isWhole: Boolean = partitionFilters.isEmpty && dataFilters.isEmpty && limit.isEmpty && top.isEmpty

  /** Spark's own equality knows nothing of what is ours, and scans that are equal are run once. */
  override def equals(other: Any): Boolean = other match {
    case that: ShreddedVariantScan =>
      super.equals(that) && paths == that.paths && options == that.options &&
      limit == that.limit && top == that.top
    case _ => false
  }

  override def hashCode(): Int = super.hashCode()

  override def isSplitable(path: Path): Boolean = true

  /** The paths that are read as columns, by the names of these. */
  private def readPaths: Map[String, PathColumn] =
    paths.map(p => p.name -> p).toMap.filter { case (name, _) => readDataSchema.fieldNames.contains(name) }

  override def getMetaData(): Map[String, String] =
    super.getMetaData() ++ Map(
      "Format" -> "shredded_variant",
      "Leaves" -> readLeaves.mkString("[", ", ", "]"),
      "Skips by" -> skipping.flatMap(_.usable()).map(_.text).distinct.mkString("[", ", ", "]"),
      "Not used" -> notUsed.distinct.mkString("[", ", ", "]")
    ) ++ Option.when(whole.nonEmpty)("Whole" -> reasons.mkString("[", "; ", "]")) ++
      limit.map(rows => "Rows of a split" -> s"up to $rows") ++
      top.map(top => "First rows" -> top.text) ++ filesOfLog

  /** How many files of a Delta table are read, as far as its log tells. */
  private def filesOfLog: Option[(String, String)] = listed match {
    case delta: DeltaFileIndex =>
      val (kept, all) = delta.counts(partitionFilters)
      Some("Files" -> s"[$kept of $all]")
    case _ => None
  }

  /** Why variants are read whole, in the order of the columns. */
  private def reasons: Seq[String] =
    readDataSchema.fieldNames.toSeq.flatMap(name =>
      whole.get(name).map(why => s"${Shape.quoted(name)}: $why")
    )

  /** The filters as far as statistics of files can judge them; all of them are evaluated above the scan. */
  private lazy val skipping: Seq[Predicate] = {
    val columns = new ScanColumns(readPaths, dataSchema, conf.caseSensitiveAnalysis)
    val predicates = new ScanPredicates(columns, readPartitionSchema)
    if (conf.parquetFilterPushDown) dataFilters.map(predicates.read)
    else dataFilters.map(f =>
      Predicate.Unknown(columns.text(f), s"${SQLConf.PARQUET_FILTER_PUSHDOWN_ENABLED.key} is off")
    )
  }

  private def notUsed: Seq[String] =
    for (predicate <- skipping; unknown <- predicate.unknowns) yield s"${unknown.text}: ${unknown.reason}"

  /** What is read of the files: paths of variants, and the other columns whole. */
  private def readLeaves: Seq[String] =
    readDataSchema.fieldNames.toSeq.map(name => readPaths.get(name).fold(Shape.quoted(name))(_.leaf)).distinct

  override def supportedCustomMetrics(): Array[CustomMetric] = ReadMetrics.all(sparkSession)

  /** Files that no task hears of, because their partition cannot match, or by the log of a Delta table no row of theirs. */
  override def reportDriverMetrics(): Array[CustomTaskMetric] = {
    def files(index: PartitioningAwareFileIndex, filters: Seq[Expression]) =
      index.listFiles(filters, Nil).map(_.files.size.toLong).sum
    val now = lastPlanned().getOrElse(this)
    if (ReadMetrics.areKnown(sparkSession)) {
      val (all, kept) = (files(fileIndex, Nil), files(now.listed, now.partitionFilters))
      Array(TaskCount(ReadCount.FilesSkipped.name, math.max(all - kept, 0L)))
    } else Array.empty
  }

  override def toMicroBatchStream(checkpoint: String): MicroBatchStream = fileIndex match {
    case delta: DeltaFileIndex =>
      val conf = sparkSession.sessionState.newHadoopConfWithOptions(options)
      new DeltaStream(this, delta, new Path(checkpoint), conf)
    case _ => super.toMicroBatchStream(checkpoint)
  }

  /** As for Spark's own Parquet scans: rows where the setting asks for them. They come out of the same batches. */
  override def columnarSupportMode: ColumnarSupportMode =
    if (conf.parquetVectorizedReaderEnabled) ColumnarSupportMode.SUPPORTED
    else ColumnarSupportMode.UNSUPPORTED

  override def planInputPartitions(): Array[InputPartition] = {
    plans(None)
    planFiles().toArray
  }

  override def createReaderFactory(): PartitionReaderFactory =
    new BatchReaderFactory(job, hadoopConf, fileOptions)

  private[source] def planFiles(): Seq[FilePartition] = copy(fileIndex = listed).planAll()
  private def planAll(): Seq[FilePartition] = MaintenanceTables.bins(this).getOrElse(partitions)

  /** The files without those of which the log of a Delta table says that no row of theirs passes. */
  private def listed: PartitioningAwareFileIndex = fileIndex match {
    case delta: DeltaFileIndex => delta.where(predicate.map(AskedOfFiles(_, readPartitionSchema)))
    case other => other
  }

  private def predicate = skipping.flatMap(_.usable()).reduceOption(Predicate.And(_, _))

  override protected def withFilters(filters: Seq[Expression]): ShreddedVariantScan = {
    val (ofPartitions, ofData) =
      DataSourceUtils.getPartitionFiltersAndDataFilters(fileIndex.partitionSchema, filters)
    // Rows that such a filter drops are none of the limit's, nor of the first ones.
    copy(
      partitionFilters = partitionFilters ++ ofPartitions,
      dataFilters = dataFilters ++ ofData,
      limit = None,
      top = None
    )
  }

  private[source] def job: ReadJob = {
    val filter =
      if (Options.lateMaterialization(options)) RowFilters.of(dataFilters, readDataSchema) else None
    ReadJobs
      .create(sparkSession, options, readDataSchema, readPaths, readPartitionSchema)
      .copy(predicate = predicate, filter = filter, limit = limit.map(_.toLong), top = top)
  }

  private[source] def hadoopConf = ReadJobs.hadoopConf(sparkSession, options)

  private[source] def fileOptions = new FileSourceOptions(CaseInsensitiveMap(options))
}

object ReadJobs {

  /** The job in a task. A plan may run several times, each time in a stage of its own, and find other files. */
  def running(job: ReadJob): ReadJob =
    Option(TaskContext.get()).fold(job)(task => job.copy(id = s"${job.id} ${task.stageId()}"))

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
      id = UUID.randomUUID.toString,
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
      offHeap = sqlConf.offHeapColumnVectorEnabled,
      hotKeys = MapColumns.named(options)
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

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] =
    counted(partition, identity)

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    counted(partition, new RowReader(_))

  override def buildReader(file: PartitionedFile): PartitionReader[InternalRow] =
    new RowReader(open(file, job, new ReadCounts, None))

  private def counted[T](partition: InputPartition, reader: BatchReader => PartitionReader[T]) = {
    val (files, planned) = partition match {
      case filtered: FilteredPartition => (filtered.files, filtered.job())
      case other => (other.asInstanceOf[FilePartition], this.job)
    }
    val job = ReadJobs.running(planned)
    val counts = new ReadCounts
    val first = job.top.map(new FirstRows(_))
    def open(file: PartitionedFile) = reader(this.open(file, job, counts, first))
    new CountedReader(new FilePartitionReader[T](files.files.iterator, open(_), options), counts)
  }

  private def open(file: PartitionedFile, job: ReadJob, counts: ReadCounts, first: Option[FirstRows]) =
    new BatchReader(file, job, conf.value.value, counts, first)
}

/** Rows of a batch reader, for those who take no batches. */
final class RowReader(batches: PartitionReader[ColumnarBatch]) extends PartitionReader[InternalRow] {
  private var rows: Iterator[InternalRow] = Iterator.empty

  override def next(): Boolean = {
    while (!rows.hasNext && batches.next()) rows = batches.get().rowIterator().asScala
    rows.hasNext
  }
  override def get(): InternalRow = rows.next()
  override def currentMetricsValues(): Array[CustomTaskMetric] = batches.currentMetricsValues()
  override def close(): Unit = batches.close()
}
