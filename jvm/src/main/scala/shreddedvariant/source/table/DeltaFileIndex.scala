/** Spark's file index of one version of a Delta table: the log lists the files, never the directory. */
package shreddedvariant.source.table

import scala.collection.mutable

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{And, Expression}
import org.apache.spark.sql.execution.datasources.{
  PartitionDirectory,
  PartitionSpec,
  PartitioningAwareFileIndex
}
import org.apache.spark.sql.types.StructType
import shreddedvariant.delta.{DeltaFile, DeltaSnapshot, FileSkipping}
import shreddedvariant.stats

/** A predicate on files; its tests of partition values read rows of the columns `partitions`. */
final case class AskedOfFiles(predicate: stats.Predicate, partitions: StructType) {

  /** The predicate for the files of one partition, whose values are a row of `columns`. */
  def at(values: InternalRow, columns: StructType): stats.Predicate =
    predicate.at(InternalRow.fromSeq(partitions.map { field =>
      values.get(columns.fieldIndex(field.name), field.dataType)
    }))
}

final class DeltaFileIndex(
    spark: SparkSession,
    val snapshot: DeltaSnapshot,
    parameters: Map[String, String],
    private val condition: Option[AskedOfFiles] = None,
    batchFiles: Option[IndexedSeq[DeltaFile]] = None
) extends PartitioningAwareFileIndex(spark, parameters, None) {
  private val columns: StructType = snapshot.partitionSchema
  private val caseSensitive = spark.sessionState.conf.caseSensitiveAnalysis
  private val values = new PartitionValues(columns, spark.sessionState.conf.sessionLocalTimeZone)

  override val rootPaths: Seq[Path] = Seq(new Path(snapshot.root))
  override def partitionSpec(): PartitionSpec = PartitionSpec(columns, Seq.empty)
  override def refresh(): Unit = ()
  override def allFiles(): Seq[FileStatus] = files.map(status)

  /** The files that a scan reads: those of the version, or those of a micro-batch. */
  private def files: IndexedSeq[DeltaFile] = batchFiles.getOrElse(snapshot.files)

  def of(files: IndexedSeq[DeltaFile]): DeltaFileIndex =
    new DeltaFileIndex(spark, snapshot, parameters, condition, Some(files))

  /** The same version, without the files that statistics exclude by the predicate. */
  def where(condition: Option[AskedOfFiles]): DeltaFileIndex = synchronized {
    // Cached, because Spark requests the plan, the readers and the metrics one after the other.
    if (!last.exists(_.condition == condition))
      last = Some(new DeltaFileIndex(spark, snapshot, parameters, condition, batchFiles))
    last.get
  }
  private var last: Option[DeltaFileIndex] = None

  /** The number of files that may have matching rows, and the number of all files. */
  def counts(filters: Seq[Expression]): (Int, Int) = (select(filters).map(_._2.size).sum, files.size)
  override lazy val sizeInBytes: Long = files.iterator.map(_.size).sum

  // Not used, because the log lists the files.
  override protected def leafFiles: mutable.LinkedHashMap[Path, FileStatus] = mutable.LinkedHashMap.empty
  override protected def leafDirToChildrenFiles: Map[Path, Array[FileStatus]] = Map.empty

  private lazy val partitions: Seq[PartitionFiles] =
    files.groupBy(_.partition).toSeq.map { case (texts, files) =>
      new PartitionFiles(values.row(texts), files, condition)
    }

  override def listFiles(filters: Seq[Expression], dataFilters: Seq[Expression]): Seq[PartitionDirectory] =
    select(filters).map { case (values, files) => PartitionDirectory(values, files.map(status).toArray) }

  /** The files by partition, without partitions that fail the filters and files that statistics exclude. */
  private def select(filters: Seq[Expression]): Seq[(InternalRow, IndexedSeq[DeltaFile])] = {
    val names = columns.fieldNames.toSet
    val usable = filters.filter(_.references.forall(a => names(a.name)))
    val matching = usable.reduceOption(And(_, _)).fold(partitions) { filter =>
      val predicate = PartitionCondition.bound(filter, columns)
      partitions.filter(partition => predicate.eval(partition.values))
    }
    matching.map(partition => (partition.values, partition.kept)).filter(_._2.nonEmpty)
  }

  /** The files of a partition; their statistics are read only if the partition passes the filters. */
  private final class PartitionFiles(
      val values: InternalRow,
      files: IndexedSeq[DeltaFile],
      condition: Option[AskedOfFiles]
  ) {
    lazy val kept: IndexedSeq[DeltaFile] = condition.fold(files) { condition =>
      val skipping = new FileSkipping(snapshot.schema, condition.at(values, columns), caseSensitive)
      files.filter(skipping.mayMatch)
    }
  }

  private def status(file: DeltaFile) =
    new FileStatus(file.size, false, 0, 0, file.modified, new Path(file.path))

  /** A version of a table never changes. */
  override def equals(other: Any): Boolean = other match {
    case that: DeltaFileIndex =>
      key == that.key
    case _ => false
  }
  override def hashCode: Int = key.hashCode
  private def key = (snapshot.root, snapshot.id, snapshot.version, condition, caseSensitive, batchFiles)
}
