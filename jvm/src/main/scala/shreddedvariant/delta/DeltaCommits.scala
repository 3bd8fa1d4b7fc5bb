/** The changes of each commit of a Delta table, for streams that read the table. */
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
 * `files` has the added files that changed the rows of the table, in the order of the log, without files that
 * have the same rows as removed files. `removes` means that rows were removed or replaced. `columns` has the
 * schema and the names of the partition columns, if the commit set them.
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

  /** Whether the version exists; cheaper than [[newest]]. */
  def has(version: Long): Boolean = {
    val file = new Path(FileNames.deltaFile(table.kernel.getLogPath, version))
    file.getFileSystem(conf).exists(file)
  }

  /** The first version that was committed at this time or later; `text` is the time as the user wrote it. */
  def since(millis: Long, text: String): Long =
    try kernel.getVersionAtOrAfterTimestamp(engine, millis)
    catch { case NonFatal(e) => throw Errors.deltaVersion(table.root, text, e) }

  /** The commits of all versions from `first` to `last`, both included. */
  def read(first: Long, last: Long): Seq[DeltaCommit] = {
    if (!has(first)) throw Errors.deltaStreamVersion(table.root, first)
    val commits = mutable.LongMap.empty[Commit]
    KernelErrors.attempt(table.root) {
      val batches = kernel.getChanges(engine, first, last, DeltaCommits.Actions)
      try batches.forEachRemaining { batch =>
          if (batch.getSize > 0) {
            val version = batch.getColumnVector(batch.getSchema.indexOf("version")).getLong(0)
            commits.getOrElseUpdate(version, new Commit).read(batch)
          }
        }
      finally batches.close()
    }
    (first to last).map(version => commits.getOrElse(version, new Commit).result(version))
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

  private def row(entry: (ColumnVector, Int)): Row = StructRow.fromStructVector(entry._1, entry._2)

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
