/** Opens the readers of a task: batches of columns, or rows if Spark requests rows. */
package shreddedvariant.source.scan

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.{FileSourceOptions, InternalRow}
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader}
import org.apache.spark.sql.execution.datasources.{FilePartition, PartitionedFile}
import org.apache.spark.sql.execution.datasources.v2.{FilePartitionReader, FilePartitionReaderFactory}
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.util.SerializableConfiguration
import shreddedvariant.parquet.bind.ReadJob
import shreddedvariant.parquet.read.{BatchReader, ReadCounts, RowReader}
import shreddedvariant.stats.FirstRows

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
