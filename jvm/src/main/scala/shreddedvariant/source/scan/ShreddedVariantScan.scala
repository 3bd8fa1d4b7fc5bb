/** The scan of a table: its columns, its partitions, its readers. */
package shreddedvariant.source.scan

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.FileSourceOptions
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReaderFactory}
import org.apache.spark.sql.connector.read.Scan.ColumnarSupportMode
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.execution.datasources.{DataSourceUtils, FilePartition, PartitioningAwareFileIndex}
import org.apache.spark.sql.execution.datasources.v2.FileScan
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import shreddedvariant.Options
import shreddedvariant.layout.{PathColumn, Shape}
import shreddedvariant.parquet.bind.ReadJob
import shreddedvariant.parquet.read.ReadCount
import shreddedvariant.stats.{Predicate, Top}
import shreddedvariant.rules.PathScan
import shreddedvariant.source.maintain.Maintenance
import shreddedvariant.source.stream.{DeltaStream, StreamedScan}
import shreddedvariant.source.table.{AskedOfFiles, DeltaFileIndex}

final case class ShreddedVariantScan(
    sparkSession: SparkSession,
    fileIndex: PartitioningAwareFileIndex,
    dataSchema: StructType,
    readDataSchema: StructType,
    paths: Seq[PathColumn],
    whole: Map[String, String],
    readPartitionSchema: StructType,
    options: Map[String, String],
    tableColumns: Seq[String],
    partitionFilters: Seq[Expression],
    dataFilters: Seq[Expression],
    limit: Option[Int] = None,
    top: Option[Top] = None
) extends FileScan
    with PathScan
    with StreamedScan
    with RuntimeFiltered[ShreddedVariantScan] {
  override def withWhole(reasons: Map[String, String]): PathScan = copy(whole = reasons)

  /** Whether the scan returns all rows of its files. */
  def isWhole: Boolean = partitionFilters.isEmpty && dataFilters.isEmpty && limit.isEmpty && top.isEmpty

  /** Adds the fields of this class to Spark's comparison, because Spark runs equal scans only once. */
  override def equals(other: Any): Boolean = other match {
    case that: ShreddedVariantScan =>
      super.equals(that) && paths == that.paths && options == that.options &&
      limit == that.limit && top == that.top
    case _ => false
  }

  override def hashCode(): Int = super.hashCode()

  override def isSplitable(path: Path): Boolean = true

  /** The paths that are read as hidden columns, by the names of the columns. */
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

  /** The number of files of a Delta table that its log does not skip, and the number of all files. */
  private def filesOfLog: Option[(String, String)] = listed match {
    case delta: DeltaFileIndex =>
      val (kept, all) = delta.counts(partitionFilters)
      Some("Files" -> s"[$kept of $all]")
    case _ => None
  }

  /** The reasons why variants are read whole, in the order of the columns. */
  private def reasons: Seq[String] =
    readDataSchema.fieldNames.toSeq.flatMap(name =>
      whole.get(name).map(why => s"${Shape.quoted(name)}: $why")
    )

  /** The filters as predicates on statistics; Spark evaluates all filters again above the scan. */
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

  /** The columns that are read from files: leaves of paths, and whole columns. */
  private def readLeaves: Seq[String] =
    readDataSchema.fieldNames.toSeq.map(name => readPaths.get(name).fold(Shape.quoted(name))(_.leaf)).distinct

  override def supportedCustomMetrics(): Array[CustomMetric] = ReadMetrics.all(sparkSession)

  /** The number of files that no task reads, because partition values or a Delta log exclude them. */
  override def reportDriverMetrics(): Array[CustomTaskMetric] = {
    def files(index: PartitioningAwareFileIndex, filters: Seq[Expression]) =
      index.listFiles(filters, Nil).map(_.files.size.toLong).sum
    val planned = lastPlanned().getOrElse(this)
    if (ReadMetrics.areKnown(sparkSession)) {
      val (all, kept) = (files(fileIndex, Nil), files(planned.listed, planned.partitionFilters))
      Array(TaskCount(ReadCount.FilesSkipped.name, math.max(all - kept, 0L)))
    } else Array.empty
  }

  override def toMicroBatchStream(checkpoint: String): MicroBatchStream = fileIndex match {
    case delta: DeltaFileIndex =>
      val conf = sparkSession.sessionState.newHadoopConfWithOptions(options)
      new DeltaStream(this, delta, new Path(checkpoint), conf)
    case _ => super.toMicroBatchStream(checkpoint)
  }

  /** As for Spark's own Parquet scans: batches, or rows if the vectorized reader is off. */
  override def columnarSupportMode: ColumnarSupportMode =
    if (conf.parquetVectorizedReaderEnabled) ColumnarSupportMode.SUPPORTED
    else ColumnarSupportMode.UNSUPPORTED

  override def planInputPartitions(): Array[InputPartition] = {
    plans(None)
    planFiles().toArray
  }

  override def createReaderFactory(): PartitionReaderFactory =
    new BatchReaderFactory(job, hadoopConf, fileOptions)

  override def partitionsOf(files: DeltaFileIndex): Array[InputPartition] =
    copy(fileIndex = files).planInputPartitions()

  override private[source] def planFiles(): Seq[FilePartition] = copy(fileIndex = listed).planAll()
  private def planAll(): Seq[FilePartition] = Maintenance.bins(options, fileIndex).getOrElse(partitions)

  /** The files, without those that the statistics in the log of a Delta table exclude. */
  private def listed: PartitioningAwareFileIndex = fileIndex match {
    case delta: DeltaFileIndex => delta.where(predicate.map(AskedOfFiles(_, readPartitionSchema)))
    case other => other
  }

  private def predicate = skipping.flatMap(_.usable()).reduceOption(Predicate.And(_, _))

  override protected def withFilters(filters: Seq[Expression]): ShreddedVariantScan = {
    val (ofPartitions, ofData) =
      DataSourceUtils.getPartitionFiltersAndDataFilters(fileIndex.partitionSchema, filters)
    // A limit and a top N count only rows that pass all filters.
    copy(
      partitionFilters = partitionFilters ++ ofPartitions,
      dataFilters = dataFilters ++ ofData,
      limit = None,
      top = None
    )
  }

  override private[source] def job: ReadJob = {
    val filter =
      if (Options.lateMaterialization(options)) RowFilters.of(dataFilters, readDataSchema) else None
    ReadJobs
      .create(sparkSession, options, readDataSchema, readPaths, readPartitionSchema)
      .copy(predicate = predicate, filter = filter, limit = limit.map(_.toLong), top = top)
  }

  private[source] def hadoopConf = ReadJobs.hadoopConf(sparkSession, options)

  private[source] def fileOptions = new FileSourceOptions(CaseInsensitiveMap(options))
}
