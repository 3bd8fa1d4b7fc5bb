/** What each commit of a Delta table has changed, for those who follow the table as it grows. */
package shreddedvariant.delta

import java.net.URI
import java.util.{EnumSet, Optional}

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.types.{DataType, StructType}
import shreddedvariant.Errors
import shreddedvariant.shaded.io.delta.kernel.Table
import shreddedvariant.shaded.io.delta.kernel.data.{ColumnVector, ColumnarBatch, MapValue, Row}
import shreddedvariant.shaded.io.delta.kernel.internal.DeltaLogActionUtils.DeltaAction
import shreddedvariant.shaded.io.delta.kernel.internal.TableImpl
import shreddedvariant.shaded.io.delta.kernel.internal.actions.{AddFile, Metadata, Protocol, RemoveFile}
import shreddedvariant.shaded.io.delta.kernel.internal.data.StructRow
import shreddedvariant.shaded.io.delta.kernel.internal.util.{FileNames, VectorUtils}

/**
 * `files` are those that changed what rows the table has, in the order of the log; files that only hold rows of others
 * anew are left out. `removes` says that rows were taken away, or replaced; `columns` are there where they were set,
 * with the names of those that partition the table.
 */
final case class DeltaCommit(
    version: Long,
    files: IndexedSeq[DeltaFile],
    removes: Boolean,
    columns: Option[(StructType, Seq[String])]
)

final class DeltaCommits(table: DeltaSnapshot, conf: Configuration) {
  private val engine = DeltaLog.engine(table.root, conf)
  private val root = new Path(table.root)
  private def kernel = Table.forPath(engine, table.root).asInstanceOf[TableImpl]

  def newest: Long = KernelErrors.attempt(table.root)(kernel.getLatestSnapshot(engine).getVersion)

  /** Cheaper than to ask for the newest version. */
  def has(version: Long): Boolean = {
    val file = new Path(FileNames.deltaFile(table.kernel.getLogPath, version))
    file.getFileSystem(conf).exists(file)
  }

  /** The first version that was committed at a time or later. */
  def since(millis: Long, text: String): Long =
    try kernel.getVersionAtOrAfterTimestamp(engine, millis)
    catch { case NonFatal(e) => throw Errors.deltaVersion(table.root, text, e) }

  /** One for each version, both ends included. */
  def read(first: Long, last: Long): Seq[DeltaCommit] = {
    if (!has(first)) throw Errors.deltaStreamVersion(table.root, first)
    val found = mutable.LongMap.empty[Commit]
    KernelErrors.attempt(table.root) {
      val batches = kernel.getChanges(engine, first, last, DeltaCommits.Actions)
      try batches.forEachRemaining { batch =>
          if (batch.getSize > 0) {
            val version = batch.getColumnVector(batch.getSchema.indexOf("version")).getLong(0)
            found.getOrElseUpdate(version, new Commit).read(batch)
          }
        }
      finally batches.close()
    }
    (first to last).map(version => found.getOrElse(version, new Commit).result(version))
  }

  private final class Commit {
    private val files = IndexedSeq.newBuilder[DeltaFile]
    private var removes = false
    private var columns: Option[(StructType, Seq[String])] = None

    def read(batch: ColumnarBatch): Unit = {
      def actions(action: DeltaAction) = {
        val vector = batch.getColumnVector(batch.getSchema.indexOf(action.colName))
        (0 until batch.getSize).iterator.filterNot(vector.isNullAt).map((vector, _))
      }
      actions(DeltaAction.ADD).map(row).map(new AddFile(_)).filter(_.getDataChange).foreach(files += file(_))
      removes ||= actions(DeltaAction.REMOVE).map(row).exists(new RemoveFile(_).getDataChange)
      actions(DeltaAction.PROTOCOL).foreach { case (vector, i) =>
        new Features(
          table.root,
          Protocol.fromColumnVector(vector, i),
          table.kernel.getMetadata
        ).checkReading()
      }
      actions(DeltaAction.METADATA).foreach { case (vector, i) =>
        val metadata = Metadata.fromColumnVector(vector, i)
        new Features(table.root, table.kernel.getProtocol, metadata).checkReading()
        val schema = DataType.fromJson(metadata.getSchemaString).asInstanceOf[StructType]
        columns =
          Some((schema, VectorUtils.toJavaList[String](metadata.getPartitionColumns).asScala.toSeq))
      }
    }

    def result(version: Long): DeltaCommit = DeltaCommit(version, files.result(), removes, columns)
  }

  private def row(at: (ColumnVector, Int)): Row = StructRow.fromStructVector(at._1, at._2)

  private def file(add: AddFile): DeltaFile = {
    if (add.getDeletionVector.isPresent) throw DeltaSnapshot.deletedRows(table.root)
    DeltaFile(
      new Path(root, new Path(new URI(add.getPath))).toString,
      add.getSize,
      add.getModificationTime,
      texts(Optional.of(add.getPartitionValues)),
      Option(add.getStatsJson.orElse(null)),
      texts(add.getTags)
    )
  }

  private def texts(map: Optional[MapValue]): Map[String, String] =
    if (map.isPresent) VectorUtils.toJavaMap[String, String](map.get).asScala.toMap else Map.empty
}

private object DeltaCommits {
  val Actions: EnumSet[DeltaAction] =
    EnumSet.of(DeltaAction.ADD, DeltaAction.REMOVE, DeltaAction.METADATA, DeltaAction.PROTOCOL)
}
