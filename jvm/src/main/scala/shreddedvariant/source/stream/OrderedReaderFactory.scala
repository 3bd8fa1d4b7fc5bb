/** Reorders the columns of a reader; `order` has the index of each column in the batches of the reader. */
package shreddedvariant.source.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.vectorized.ColumnarBatch
import shreddedvariant.parquet.read.RowReader

final case class OrderedReaderFactory(inner: PartitionReaderFactory, order: Array[Int])
    extends PartitionReaderFactory {
  override def supportColumnarReads(partition: InputPartition): Boolean = true

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    new RowReader(createColumnarReader(partition))

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] = {
    val reader = inner.createColumnarReader(partition)
    if (order.indices.forall(i => order(i) == i)) reader else new OrderedReader(reader, order)
  }
}

private final class OrderedReader(inner: PartitionReader[ColumnarBatch], order: Array[Int])
    extends PartitionReader[ColumnarBatch] {
  override def next(): Boolean = inner.next()
  override def get(): ColumnarBatch = {
    val batch = inner.get()
    new ColumnarBatch(order.map(batch.column), batch.numRows)
  }
  override def currentMetricsValues(): Array[CustomTaskMetric] = inner.currentMetricsValues()
  override def close(): Unit = inner.close()
}
