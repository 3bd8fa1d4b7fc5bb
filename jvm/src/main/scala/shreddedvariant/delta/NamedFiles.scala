/** Kernel's access to files, where the checkpoint that cannot be read is named: Kernel tells of bytes alone. */
package shreddedvariant.delta

import java.util.{List => JavaList, Optional}

import scala.util.control.NonFatal

import shreddedvariant.Errors
import shreddedvariant.shaded.io.delta.kernel.data.FilteredColumnarBatch
import shreddedvariant.shaded.io.delta.kernel.engine._
import shreddedvariant.shaded.io.delta.kernel.expressions.{Column, Predicate}
import shreddedvariant.shaded.io.delta.kernel.types.StructType
import shreddedvariant.shaded.io.delta.kernel.utils.{CloseableIterator, DataFileStatus, FileStatus}

private final class NamedFiles(engine: Engine) extends Engine {
  override def getExpressionHandler: ExpressionHandler = engine.getExpressionHandler
  override def getJsonHandler: JsonHandler = engine.getJsonHandler
  override def getFileSystemClient: FileSystemClient = engine.getFileSystemClient
  override def getParquetHandler: ParquetHandler = new NamedParquet(engine.getParquetHandler)
  override def getMetricsReporters: JavaList[MetricsReporter] = engine.getMetricsReporters
}

private final class NamedParquet(handler: ParquetHandler) extends ParquetHandler {

  /** Files are read one after the other: the one that was asked for last is the one that fails. */
  override def readParquetFiles(
      files: CloseableIterator[FileStatus],
      schema: StructType,
      predicate: Optional[Predicate]
  ): CloseableIterator[FileReadResult] = {
    var last = ""
    def named[A](read: => A): A =
      try read
      catch {
        case NonFatal(e) =>
          throw new IllegalStateException(s"${last.split('/').last} cannot be read, ${Errors.reason(e)}", e)
      }
    val noted = new CloseableIterator[FileStatus] {
      override def hasNext: Boolean = files.hasNext
      override def next(): FileStatus = { val file = files.next(); last = file.getPath; file }
      override def close(): Unit = files.close()
    }
    val read = named(handler.readParquetFiles(noted, schema, predicate))
    new CloseableIterator[FileReadResult] {
      override def hasNext: Boolean = named(read.hasNext)
      override def next(): FileReadResult = named(read.next())
      override def close(): Unit = read.close()
    }
  }

  override def writeParquetFiles(
      directory: String,
      rows: CloseableIterator[FilteredColumnarBatch],
      statistics: JavaList[Column]
  ): CloseableIterator[DataFileStatus] = handler.writeParquetFiles(directory, rows, statistics)

  override def writeParquetFileAtomically(
      path: String,
      rows: CloseableIterator[FilteredColumnarBatch]
  ): Unit = handler.writeParquetFileAtomically(path, rows)
}
