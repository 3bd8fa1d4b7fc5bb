/** One file being written. */
package shreddedvariant.parquet

import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.TaskAttemptContext
import org.apache.parquet.hadoop.codec.CodecConfig
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.util.ContextUtil
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.{OutputWriter, OutputWriterFactory}
import org.apache.spark.sql.types.StructType

final class ShreddedOutputWriter(val path: String, context: TaskAttemptContext, job: WriteJob)
    extends OutputWriter {
  private val writer = new FileWriter(
    new Path(path),
    ContextUtil.getConfiguration(context),
    CodecConfig.from(context).getCodec,
    job
  )

  override def write(row: InternalRow): Unit = writer.write(row)
  override def close(): Unit = writer.close()
  def footer: ParquetMetadata = writer.footer
}

final class ShreddedOutputWriterFactory(job: WriteJob) extends OutputWriterFactory {
  override def newInstance(
      path: String,
      dataSchema: StructType,
      context: TaskAttemptContext
  ): ShreddedOutputWriter =
    new ShreddedOutputWriter(path, context, job)

  override def getFileExtension(context: TaskAttemptContext): String =
    CodecConfig.from(context).getCodec.getExtension + ".parquet"
}
