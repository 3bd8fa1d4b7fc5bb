/** A Delta table at one version, as its log has it: columns, partitions, properties, files. */
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

/** One file of a table: an absolute path, what its partition columns hold as text, what its writer tells of it. */
final case class DeltaFile(
    path: String,
    size: Long,
    modified: Long,
    partition: Map[String, String],
    stats: Option[String],
    tags: Map[String, String]
) {

  /** Whether its bounds are as whole as ours. */
  def isOurs: Boolean = tags.get(NewFile.Tag).contains(NewFile.TagValue)
}

final class DeltaSnapshot(val root: String, private[delta] val kernel: SnapshotImpl, engine: Engine) {
  val version: Long = kernel.getVersion

  /** Tables that replace one another at a path differ in it. */
  val id: String = kernel.getMetadata.getId
  val properties: Map[String, String] = kernel.getMetadata.getConfiguration.asScala.toMap
  val partitionColumns: Seq[String] = kernel.getPartitionColumnNames.asScala.toSeq
  private[delta] val features = new Features(root, kernel.getProtocol, kernel.getMetadata)
  features.checkReading()

  /** In the order of the table; the log spells types as Spark does. */
  val schema: StructType = KernelErrors.attempt(root) {
    DataType.fromJson(kernel.getMetadata.getSchemaString).asInstanceOf[StructType]
  }

  def partitionSchema: StructType = StructType(partitionColumns.map(schema(_)))

  lazy val files: IndexedSeq[DeltaFile] = added.map(_._1)

  /** Whether this version has a micro-batch, or a later one of its stream. */
  def has(batch: StreamBatch): Boolean = KernelErrors.attempt(root) {
    kernel.getLatestTransactionVersion(engine, batch.query).toScala.exists(_ >= batch.id)
  }

  /** The file that a listing has at this path. */
  def file(path: Path): Option[DeltaFile] = byPath.get(path)
  private lazy val byPath = files.map(file => new Path(file.path) -> file).toMap

  /** With the rows of the log, which are written again when a file is removed. */
  private[delta] lazy val added: IndexedSeq[(DeltaFile, AddFile)] = KernelErrors.attempt(root) {
    val batches = kernel.getScanBuilder.build().asInstanceOf[ScanImpl].getScanFiles(engine, true)
    try {
      val found = IndexedSeq.newBuilder[(DeltaFile, AddFile)]
      while (batches.hasNext) {
        val rows = batches.next().getRows
        try while (rows.hasNext) found += file(rows.next())
        finally rows.close()
      }
      found.result()
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
