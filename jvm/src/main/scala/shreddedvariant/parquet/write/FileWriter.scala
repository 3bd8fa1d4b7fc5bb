/**
 * Writes one Parquet file: rows to the leaves of a row group, row groups to the file, and the footer.
 *
 * Replaces Parquet's own record writer, whose consumer looks up a writer for each value and tracks the missing
 * fields of each group: [[RowConsumer]] prepares both once. The settings `parquet.*` have the same meaning as
 * in Spark's `parquet`.
 */
package shreddedvariant.parquet.write

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor
import org.apache.parquet.hadoop.{
  CodecFactory,
  ColumnChunkPageWriteStore,
  ParquetFileWriter,
  ParquetOutputFormat
}
import org.apache.parquet.hadoop.metadata.{CompressionCodecName, ParquetMetadata}
import org.apache.parquet.hadoop.util.HadoopOutputFile
import org.apache.parquet.util.AutoCloseables
import org.apache.spark.sql.catalyst.InternalRow
import shreddedvariant.parquet.page.{PageCompression, PlainCompression, ZstdCompressor}

final class FileWriter(
    path: Path,
    conf: Configuration,
    codec: CompressionCodecName,
    job: WriteJob,
    counts: ColumnCounts = ColumnCounts.none
) extends AutoCloseable {
  private val settings = new WriteSettings(conf)
  private val properties = settings.properties
  private val support = new ShreddingWriteSupport(job, counts)
  private val context = support.init(conf, properties)
  private val schema = context.getSchema
  private val codecs = new CodecFactory(conf, properties.getPageSizeThreshold)
  private val zstd = Option.when(codec == CompressionCodecName.ZSTD && settings.zstdWorkers == 0)(
    new ZstdCompressor(settings.zstdLevels)
  )
  private val compressor: BytesInputCompressor = zstd.getOrElse(codecs.getCompressor(codec))
  private val compression = zstd.fold[PageCompression](new PlainCompression(compressor))(identity)
  private val file = new ParquetFileWriter(
    HadoopOutputFile.fromPath(path, conf),
    schema,
    ParquetFileWriter.Mode.CREATE,
    settings.rowGroupBytes,
    settings.maxPadding,
    ParquetOutputFormat.createEncryptionProperties(conf, path, context),
    properties
  )
  private val share = WriteMemory.open(settings)
  private var rowGroups = 0
  private var pages: ColumnChunkPageWriteStore = _
  private var rows = 0L
  private var nextCheck = 0L
  private var failed = false
  private var closed = false

  orClose {
    file.start()
    startRowGroup()
  }

  def write(row: InternalRow): Unit =
    try {
      support.write(row)
      rows += 1
      if (rows >= nextCheck || support.leaves.isUrgent) checkRowGroup()
    } catch {
      case e: Throwable =>
        failed = true
        throw e
    }

  /** The footer with all statistics, available after `close`. */
  def footer: ParquetMetadata = file.getFooter

  /** Ends the file. After a failure, the file is aborted and gets no footer. */
  override def close(): Unit = if (!closed) {
    closed = true
    try
      if (failed) file.abort()
      else {
        endRowGroup()
        file.end((context.getExtraMetaData.asScala ++ support.footer).asJava)
      }
    catch {
      case e: Throwable =>
        file.abort()
        throw e
    } finally release()
  }

  private def orClose(body: => Unit): Unit =
    try body
    catch {
      case e: Throwable =>
        closed = true
        failed = true
        file.abort()
        release()
        throw e
    }

  private def release(): Unit = {
    // Leaves hold only heap memory, so they need no release.
    AutoCloseables.uncheckedClose(pages, file)
    compressor.release()
    codecs.release()
    share.close()
  }

  private def startRowGroup(): Unit = {
    pages = new ColumnChunkPageWriteStore(
      compressor,
      schema,
      properties.getAllocator,
      properties.getColumnIndexTruncateLength,
      properties.getPageWriteChecksumEnabled,
      file.getEncryptor,
      rowGroups
    )
    support.leaves.start(pages, compression)
    rows = 0
    nextCheck =
      math.min(properties.getMinRowCountForPageSizeCheck, properties.getRowGroupRowCountLimit).toLong
  }

  /**
   * Checks the size of the row group, which is slow, and plans the next check about halfway to the expected
   * end.
   */
  private def checkRowGroup(): Unit = {
    support.leaves.isUrgent = false
    val bytes = support.leaves.bufferedBytes
    val limit = math.min(share.rowGroupBytes, file.getNextRowGroupSize)
    val rowsLeft = math.max(limit - bytes, 0L) / math.max(bytes / rows, 1L)
    if (rowsLeft <= 2 || rows >= properties.getRowGroupRowCountLimit) {
      endRowGroup()
      startRowGroup()
    } else {
      val minWait = properties.getMinRowCountForPageSizeCheck.toLong
      val maxWait = properties.getMaxRowCountForPageSizeCheck.toLong
      nextCheck = math.min(
        rows + math.max(minWait, math.min(rowsLeft / 2, maxWait)),
        properties.getRowGroupRowCountLimit.toLong
      )
    }
  }

  private def endRowGroup(): Unit = {
    if (rows > 0) {
      file.startBlock(rows)
      support.leaves.end()
      pages.flushToFileWriter(file)
      file.endBlock()
      rowGroups += 1
    }
    AutoCloseables.uncheckedClose(pages)
    pages = null
  }
}
