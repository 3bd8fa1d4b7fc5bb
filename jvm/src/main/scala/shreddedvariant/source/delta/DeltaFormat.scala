/** Writes the data files of a Delta table, and computes the statistics of each file when it is closed. */
package shreddedvariant.source.delta

import java.util.concurrent.ConcurrentHashMap

import org.apache.hadoop.mapreduce.TaskAttemptContext
import org.apache.parquet.hadoop.util.ContextUtil
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.{OutputWriter, OutputWriterFactory}
import org.apache.spark.sql.internal.{LegacyBehaviorPolicy, SQLConf}
import org.apache.spark.sql.types.StructType
import shreddedvariant.delta.{FileContents, FileStatistics}
import shreddedvariant.parquet.file.FooterStatistics
import shreddedvariant.parquet.write.{ShreddedOutputWriter, ShreddedOutputWriterFactory, WriteJob}
import shreddedvariant.source.format.{FileWrites, ShreddedVariantFormat}

final class DeltaFormat(write: WriteJob, statistics: FileStatistics) extends ShreddedVariantFormat {
  override protected def prepare(files: FileWrites): OutputWriterFactory = {
    val inner = files.prepare(write)
    val conf = ContextUtil.getConfiguration(files.job)
    // Parquet has no statistics of INT96; other writers and readers of Delta support both types.
    conf.set(SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE.key, "TIMESTAMP_MICROS")
    val rebase = files.spark.sessionState.conf.getConf(SQLConf.PARQUET_REBASE_MODE_IN_WRITE)
    new DeltaOutputWriterFactory(inner, statistics, keepsCalendar = rebase != LegacyBehaviorPolicy.LEGACY)
  }
}

private final class DeltaOutputWriterFactory(
    inner: ShreddedOutputWriterFactory,
    statistics: FileStatistics,
    keepsCalendar: Boolean
) extends OutputWriterFactory {
  override def newInstance(path: String, schema: StructType, context: TaskAttemptContext): OutputWriter =
    new DeltaOutputWriter(inner.newInstance(path, schema, context), statistics, keepsCalendar)
  override def getFileExtension(context: TaskAttemptContext): String = inner.getFileExtension(context)
}

private final class DeltaOutputWriter(
    inner: ShreddedOutputWriter,
    statistics: FileStatistics,
    keepsCalendar: Boolean
) extends OutputWriter {
  override def path(): String = inner.path
  override def write(row: InternalRow): Unit = inner.write(row)

  override def close(): Unit = {
    inner.close()
    val footer = inner.footer
    var rows = 0L
    footer.getBlocks.forEach(block => rows += block.getRowCount)
    val file =
      FileContents(rows, footer.getFileMetaData.getSchema, FooterStatistics.of(footer), keepsCalendar)
    ClosedFiles.put(path(), ClosedFile(rows, statistics.json(file)))
  }
}

final case class ClosedFile(rows: Long, stats: String)

/** Passes statistics from the writer of a file to the commit of its task in the same JVM; Spark passes none. */
object ClosedFiles {
  private val files = new ConcurrentHashMap[String, ClosedFile]
  def put(path: String, file: ClosedFile): Unit = { files.put(path, file); () }
  def take(path: String): Option[ClosedFile] = Option(files.remove(path))
}
