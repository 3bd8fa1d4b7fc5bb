/** A partition that carries the runtime filters of one execution to its tasks. */
package shreddedvariant.source.scan

import java.nio.ByteBuffer

import org.apache.spark.SparkEnv
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.execution.datasources.FilePartition
import shreddedvariant.parquet.bind.ReadJob

/** Files and the job of one execution. Readers change the job's expressions, so each task makes a copy. */
final case class FilteredPartition(files: FilePartition, serialized: Broadcast[Array[Byte]])
    extends InputPartition {
  override def preferredLocations(): Array[String] = files.preferredLocations()

  def job(): ReadJob = SparkEnv.get.closureSerializer.newInstance()
    .deserialize[ReadJob](ByteBuffer.wrap(serialized.value), Thread.currentThread.getContextClassLoader)
}
