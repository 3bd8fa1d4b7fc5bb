/** One version of a Delta table according to its log: columns, partitions, properties, files. */
package shreddedvariant.delta

import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters._

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.types.{DataType, StructType}
import shreddedvariant.Errors
import shreddedvariant.shaded.io.delta.kernel.data.Row
import shreddedvariant.shaded.io.delta.kernel.engine.Engine
import shreddedvariant.shaded.io.delta.kernel.internal.{InternalScanFileUtils, ScanImpl, SnapshotImpl}
import shreddedvariant.shaded.io.delta.kernel.internal.actions.AddFile
import shreddedvariant.shaded.io.delta.kernel.internal.util.VectorUtils

/** A file of a table: its absolute path, its partition values as text, and the statistics of its writer. */
final case class DeltaFile(
    path: String,
    size: Long,
    modified: Long,
    partition: Map[String, String],
    stats: Option[String],
    tags: Map[String, String]
) {

  /** Whether the bounds are complete, as [[NewFile.Tag]] declares. */
  def isOurs: Boolean = tags.get(NewFile.Tag).contains(NewFile.TagValue)
}

final class DeltaSnapshot(val root: String, private[delta] val kernel: SnapshotImpl, engine: Engine) {
  val version: Long = kernel.getVersion

  /** Tables that replace one another at a path have different ids. */
  val id: String = kernel.getMetadata.getId
  val properties: Map[String, String] = kernel.getMetadata.getConfiguration.asScala.toMap
  val partitionColumns: Seq[String] = kernel.getPartitionColumnNames.asScala.toSeq
  private[delta] val features = new Features(root, kernel.getProtocol, kernel.getMetadata)
  features.checkReading()

  /** The columns in the order of the table; the log has types in Spark's JSON format. */
  val schema: StructType = KernelErrors.attempt(root) {
    DataType.fromJson(kernel.getMetadata.getSchemaString).asInstanceOf[StructType]
  }

  def partitionSchema: StructType = StructType(partitionColumns.map(schema(_)))

  lazy val files: IndexedSeq[DeltaFile] = added.map(_._1)

  /** Whether this version contains the micro-batch, or a later micro-batch of the same stream. */
  def has(batch: StreamBatch): Boolean = KernelErrors.attempt(root) {
    kernel.getLatestTransactionVersion(engine, batch.query).toScala.exists(_ >= batch.id)
  }

  /** The file at this path of a listing. */
  def file(path: Path): Option[DeltaFile] = byPath.get(path)
  private lazy val byPath = files.map(file => new Path(file.path) -> file).toMap

  /** The files with their rows of the log, which are written again when a file is removed. */
  private[delta] lazy val added: IndexedSeq[(DeltaFile, AddFile)] = KernelErrors.attempt(root) {
    val batches = kernel.getScanBuilder.build().asInstanceOf[ScanImpl].getScanFiles(engine, true)
    try {
      val result = IndexedSeq.newBuilder[(DeltaFile, AddFile)]
      while (batches.hasNext) {
        val rows = batches.next().getRows
        try while (rows.hasNext) result += file(rows.next())
        finally rows.close()
      }
      result.result()
    } finally batches.close()
  }

  private def file(row: Row): (DeltaFile, AddFile) = {
    if (InternalScanFileUtils.getDeletionVectorDescriptorFromRow(row) != null)
      throw DeltaSnapshot.deletedRows(root)
    val status = InternalScanFileUtils.getAddFileStatus(row)
    val add = new AddFile(row.getStruct(InternalScanFileUtils.ADD_FILE_ORDINAL))
    val tags = if (add.getTags.isPresent) VectorUtils.toJavaMap[String, String](add.getTags.get).asScala.toMap
    else Map.empty[String, String]
    val file = DeltaFile(
      status.getPath,
      status.getSize,
      status.getModificationTime,
      InternalScanFileUtils.getPartitionValues(row).asScala.toMap,
      Option(add.getStatsJson.orElse(null)),
      tags
    )
    (file, add)
  }
}

private[delta] object DeltaSnapshot {
  def deletedRows(root: String): Throwable =
    Errors.deltaFeature(
      root,
      "deletionVectors",
      "read",
      "files with deleted rows need REORG TABLE … APPLY (PURGE)"
    )
}
