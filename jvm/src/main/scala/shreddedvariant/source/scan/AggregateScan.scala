/** A scan that returns partial results of aggregates instead of rows. */
package shreddedvariant.source.scan

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.{FileSourceOptions, InternalRow}
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.execution.datasources.{FilePartition, PartitionedFile}
import org.apache.spark.sql.execution.datasources.v2.FilePartitionReader
import org.apache.spark.sql.internal.connector.SupportsMetadata
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.util.SerializableConfiguration
import shreddedvariant.parquet.read.{Aggregate, AggregateJob, AggregateReader, PartialAggregate, ReadCounts}

/** `rows` is the scan whose rows are aggregated. */
final case class AggregateScan(rows: ShreddedVariantScan, pushed: PushedAggregates)
    extends Scan
    with Batch
    with SupportsReportStatistics
    with SupportsMetadata {
  override def readSchema(): StructType =
    StructType(pushed.groupBy ++ pushed.aggregates.map(a => StructField(a.text, a.dataType)))

  private val answers = "Answers from footers" -> pushed.aggregates.map(_.text).mkString("[", ", ", "]")

  override def getMetaData(): Map[String, String] = rows.getMetaData() + answers

  override def description(): String = s"${rows.description()}, ${answers._1}: ${answers._2}"

  override def estimateStatistics(): Statistics = rows.estimateStatistics()

  override def supportedCustomMetrics(): Array[CustomMetric] = rows.supportedCustomMetrics()

  override def reportDriverMetrics(): Array[CustomTaskMetric] = rows.reportDriverMetrics()

  override def toBatch: Batch = this

  override def columnarSupportMode: Scan.ColumnarSupportMode = Scan.ColumnarSupportMode.UNSUPPORTED

  /** Without GROUP BY there is a result even if there are no files. */
  override def planInputPartitions(): Array[InputPartition] = {
    val files = rows.planInputPartitions()
    if (files.isEmpty && pushed.groupBy.isEmpty) Array(FilePartition(0, Array.empty)) else files
  }

  override def createReaderFactory(): PartitionReaderFactory = new AggregateReaderFactory(
    AggregateJob(rows.job, pushed.groupBy.map(_.name), pushed.aggregates),
    rows.hadoopConf,
    rows.fileOptions
  )
}

final class AggregateReaderFactory(
    job: AggregateJob,
    conf: Broadcast[SerializableConfiguration],
    options: FileSourceOptions
) extends PartitionReaderFactory {
  override def createReader(partition: InputPartition): PartitionReader[InternalRow] = {
    val counts = new ReadCounts
    val running = job.copy(read = ReadJobs.running(job.read))
    def open(file: PartitionedFile) = new AggregateReader(file, running, conf.value.value, counts)
    val files = partition.asInstanceOf[FilePartition].files.iterator
    val read = new FilePartitionReader[InternalRow](files, open(_), options)
    new CountedReader(if (job.groupBy.isEmpty) new WithEmptyResult(read, job.aggregates) else read, counts)
  }
}

/**
 * Adds the partial results of zero rows, which do not change the final results. Spark sums partial counts, and
 * the sum would be NULL if there are no files, or if all files are ignored.
 */
private final class WithEmptyResult(read: PartitionReader[InternalRow], aggregates: Seq[Aggregate])
    extends PartitionReader[InternalRow] {
  private val empty = new GenericInternalRow(aggregates.map(PartialAggregate.of(_).result).toArray[Any])
  private var isLast = false

  override def next(): Boolean =
    if (isLast) false
    else {
      isLast = !read.next()
      true
    }
  override def get(): InternalRow = if (isLast) empty else read.get()
  override def close(): Unit = read.close()
}
