/** The result table of `verify`: one row for each verified file, and one row for each finding. */
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
 * `path` is the path of the file, `file` its path within the table. `trustable` means that the log's bounds of
 * the file are as complete as those that this source writes. A finding has the column, the path of the value
 * (`at`) and the error (`wrong`); each file also has one row without a finding.
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
    def text(value: String) = UTF8String.fromString(value)
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

/** One file; `stats` are its statistics in the log of a Delta table. */
final case class VerifyTask(path: String, name: String, file: PartitionedFile, stats: Option[String])
    extends InputPartition

/** `table` are the columns of a Delta table, `partitions` its partition columns, which files do not have. */
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
    // Each file of a directory is read with the schema in its own footer.
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
