/** Reads files for Spark's V1 scans: streams and path SQL. */
package shreddedvariant.source.format

import scala.collection.mutable

import org.apache.hadoop.fs.Path
import org.apache.spark.TaskContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeProjection
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SerializableConfiguration
import shreddedvariant.parquet.bind.ReadJob
import shreddedvariant.parquet.read.BatchReader
import shreddedvariant.parquet.read.RowReader
import shreddedvariant.source.scan.ReadJobs
import shreddedvariant.source.table.DeltaPathCheck

/** `isChecked` means that the files are known not to be in a Delta table. */
final case class FileFormatReader(
    job: ReadJob,
    conf: Broadcast[SerializableConfiguration],
    batches: Boolean,
    isChecked: Boolean
) extends (PartitionedFile => Iterator[InternalRow]) {
  @transient private lazy val checked = mutable.Set.empty[Path]

  override def apply(file: PartitionedFile): Iterator[InternalRow] = {
    if (!isChecked && checked.add(file.toPath.getParent))
      DeltaPathCheck.checkAbove(file.toPath, conf.value.value)
    val reader = new BatchReader(file, ReadJobs.running(job), conf.value.value)
    Option(TaskContext.get()).foreach(_.addTaskCompletionListener[Unit](_ => reader.close()))
    // If Spark requests batches, it casts the rows of this iterator to batches.
    if (batches) iterate(reader).asInstanceOf[Iterator[InternalRow]] else rows(new RowReader(reader))
  }

  private def rows(reader: RowReader): Iterator[InternalRow] = {
    val attributes = DataTypeUtils.toAttributes(StructType(job.columns.fields ++ job.partitions.fields))
    val toUnsafe = GenerateUnsafeProjection.generate(attributes, attributes)
    iterate(reader).map(toUnsafe)
  }

  private def iterate[T](reader: PartitionReader[T]): Iterator[T] = new Iterator[T] {
    private var ready = false
    override def hasNext: Boolean = { if (!ready) ready = reader.next(); ready }
    override def next(): T = { if (!hasNext) throw new NoSuchElementException; ready = false; reader.get() }
  }
}
