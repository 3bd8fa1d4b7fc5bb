/** Writes one file for Spark, with given or with inferred shapes. */
package shreddedvariant.parquet.write

import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.TaskAttemptContext
import org.apache.parquet.hadoop.codec.CodecConfig
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.util.ContextUtil
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.{OutputWriter, OutputWriterFactory}
import org.apache.spark.sql.types.StructType

final class ShreddedOutputWriter(
    val path: String,
    schema: StructType,
    context: TaskAttemptContext,
    job: WriteJob
) extends OutputWriter {
  private val conf = ContextUtil.getConfiguration(context)
  private val codec = CodecConfig.from(context).getCodec
  private val sampling = if (job.isDecided) null else new SamplingWriter(schema, job, open)
  private val file = if (job.isDecided) open(job, ColumnCounts.none) else null

  private def open(job: WriteJob, counts: ColumnCounts) =
    new FileWriter(new Path(path), conf, codec, job, counts)

  override def write(row: InternalRow): Unit = if (file != null) file.write(row) else sampling.write(row)
  override def close(): Unit = if (file != null) file.close() else sampling.close()

  /** The footer, available after `close`. */
  def footer: ParquetMetadata = if (file != null) file.footer else sampling.footer
}

final class ShreddedOutputWriterFactory(job: WriteJob) extends OutputWriterFactory {
  override def newInstance(
      path: String,
      dataSchema: StructType,
      context: TaskAttemptContext
  ): ShreddedOutputWriter =
    new ShreddedOutputWriter(path, dataSchema, context, job)

  override def getFileExtension(context: TaskAttemptContext): String =
    CodecConfig.from(context).getCodec.getExtension + ".parquet"
}
