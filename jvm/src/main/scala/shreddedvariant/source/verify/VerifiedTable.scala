/** A table as `verify` reads it: for each file a row that says that it was looked at, and one for each finding. */
package shreddedvariant.source.verify

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{Column, SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.types._
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.SerializableConfiguration
import shreddedvariant.parquet.bind.ReadJob
import shreddedvariant.stats.Finding
import shreddedvariant.source.maintain.Bin
import shreddedvariant.source.scan.ReadJobs
import shreddedvariant.source.table.TableFiles

final case class VerifiedTable(files: TableFiles) extends Table with SupportsRead {
  override def name: String = s"shredded_variant verification of ${files.paths.mkString(",")}"
  override def columns: Array[Column] =
    VerifiedRow.schema.fields.map(f => Column.create(f.name, f.dataType, f.nullable))
  override def capabilities: util.Set[TableCapability] = util.EnumSet.of(TableCapability.BATCH_READ)
  override def properties: util.Map[String, String] = files.options.asJava

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = () =>
    VerifyScan(SparkSession.active, files)
}

/**
 * `path` is the file's, `file` the same within the table; `trustable` says that the log's bounds of it are as whole as
 * ours. A finding has what it is about and what is wrong; a row without one is there for each file.
 */
object VerifiedRow {
  val schema: StructType = new StructType()
    .add("path", StringType, nullable = false)
    .add("file", StringType, nullable = false)
    .add("rows", LongType, nullable = false)
    .add("trustable", BooleanType, nullable = false)
    .add("column", StringType)
    .add("at", StringType)
    .add("wrong", StringType)

  def ordinal(name: String): Int = schema.fieldIndex(name)

  def apply(task: VerifyTask, rows: Long, trustable: Boolean, finding: Option[Finding]): InternalRow = {
    def text(of: String) = UTF8String.fromString(of)
    InternalRow(
      text(task.path),
      text(task.name),
      rows,
      trustable,
      finding.map(f => text(f.column)).orNull,
      finding.map(f => text(f.path)).orNull,
      finding.map(f => text(f.wrong)).orNull
    )
  }
}

/** One file: what the table's log has of it, if there is one. */
final case class VerifyTask(path: String, name: String, file: PartitionedFile, stats: Option[String])
    extends InputPartition

/** `table` are the columns of a Delta table, `partitions` those of them that files do not hold. */
final case class VerifyJob(
    read: ReadJob,
    table: StructType,
    partitions: Seq[String],
    conf: Broadcast[SerializableConfiguration]
)

final case class VerifyScan(spark: SparkSession, files: TableFiles) extends Scan with Batch {
  override def readSchema(): StructType = VerifiedRow.schema
  override def description(): String = s"shredded_variant verification of ${files.paths.mkString(",")}"
  override def toBatch: Batch = this

  override def planInputPartitions(): Array[InputPartition] = {
    val roots = files.index.rootPaths.map(_.toString.stripSuffix("/") + "/")
    files.index.listFiles(Nil, Nil).flatMap { directory =>
      directory.files.map { file =>
        val path = file.getPath.toString
        val name = roots.find(path.startsWith).fold(file.getPath.getName)(path.stripPrefix(_))
        val whole = Bin(directory.values, Nil).whole(file)
        val stats = files.delta.flatMap(_.file(file.getPath)).flatMap(_.stats)
        VerifyTask(path, name, whole, stats): InputPartition
      }
    }.toArray
  }

  override def createReaderFactory(): PartitionReaderFactory = {
    // Files of a directory are read as their own footers have them, whatever others hold.
    val columns = files.delta.fold(new StructType)(_ => files.dataSchema)
    val read = ReadJobs.create(spark, files.options, columns, Map.empty, new StructType)
    val table = files.delta.fold(new StructType)(_.schema)
    val partitions = files.delta.fold(Seq.empty[String])(_.partitionColumns)
    new VerifyReaderFactory(VerifyJob(read, table, partitions, ReadJobs.hadoopConf(spark, files.options)))
  }
}

private final class VerifyReaderFactory(job: VerifyJob) extends PartitionReaderFactory {
  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    new PartitionReader[InternalRow] {
      private val task = partition.asInstanceOf[VerifyTask]
      private lazy val rows = new FileVerifier(task, job).rows.iterator
      private var row: InternalRow = _

      override def next(): Boolean = rows.hasNext && { row = rows.next(); true }
      override def get(): InternalRow = row
      override def close(): Unit = ()
    }
}
