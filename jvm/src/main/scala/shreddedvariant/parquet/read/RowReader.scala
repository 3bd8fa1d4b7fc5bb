/** Returns the rows of a batch reader, for scans that read rows. */
package shreddedvariant.parquet.read

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.vectorized.ColumnarBatch

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
