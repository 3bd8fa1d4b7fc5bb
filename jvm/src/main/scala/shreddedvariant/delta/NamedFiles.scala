/** Kernel's access to files. Exceptions name the checkpoint that cannot be read, which Kernel does not name. */
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

  /** Files are read one after the other, so the file that was requested last is the one that fails. */
  override def readParquetFiles(
      files: CloseableIterator[FileStatus],
      schema: StructType,
      predicate: Optional[Predicate]
  ): CloseableIterator[FileReadResult] = {
    var lastPath = ""
    def named[A](read: => A): A =
      try read
      catch {
        case NonFatal(e) =>
          throw new IllegalStateException(
            s"${lastPath.split('/').last} cannot be read, ${Errors.reason(e)}",
            e
          )
      }
    val tracked = new CloseableIterator[FileStatus] {
      override def hasNext: Boolean = files.hasNext
      override def next(): FileStatus = { val file = files.next(); lastPath = file.getPath; file }
      override def close(): Unit = files.close()
    }
    val read = named(handler.readParquetFiles(tracked, schema, predicate))
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
