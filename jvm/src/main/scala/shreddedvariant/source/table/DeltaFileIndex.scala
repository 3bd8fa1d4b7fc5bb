/** The files of one version of a Delta table as Spark's scans ask for them: listed by its log, never by a directory. */
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

/** `partitions` are the partition columns that the predicate has been read with. */
final case class AskedOfFiles(predicate: stats.Predicate, partitions: StructType) {

  /** What is asked of the files of one partition, whose values are those of `columns`. */
  def at(values: InternalRow, columns: StructType): stats.Predicate =
    predicate.at(InternalRow.fromSeq(partitions.map { field =>
      values.get(columns.fieldIndex(field.name), field.dataType)
    }))
}

final class DeltaFileIndex(
    spark: SparkSession,
    val snapshot: DeltaSnapshot,
    parameters: Map[String, String],
    private val asked: Option[AskedOfFiles] = None,
    only: Option[IndexedSeq[DeltaFile]] = None
) extends PartitioningAwareFileIndex(spark, parameters, None) {
  private val columns: StructType = snapshot.partitionSchema
  private val caseSensitive = spark.sessionState.conf.caseSensitiveAnalysis
  private val values = new PartitionValues(columns, spark.sessionState.conf.sessionLocalTimeZone)

  override val rootPaths: Seq[Path] = Seq(new Path(snapshot.root))
  override def partitionSpec(): PartitionSpec = PartitionSpec(columns, Seq.empty)
  override def refresh(): Unit = ()
  override def allFiles(): Seq[FileStatus] = files.map(status)

  /** What of the table a scan reads: the files of its version, or those of a micro-batch. */
  private def files: IndexedSeq[DeltaFile] = only.getOrElse(snapshot.files)

  def of(files: IndexedSeq[DeltaFile]): DeltaFileIndex =
    new DeltaFileIndex(spark, snapshot, parameters, asked, Some(files))

  /** The same version without the files of which statistics say that the predicate is true of no row. */
  def where(asked: Option[AskedOfFiles]): DeltaFileIndex = synchronized {
    // Spark asks for the plan, the readers and the metrics one after the other, each time anew.
    if (!last.exists(_.asked == asked))
      last = Some(new DeltaFileIndex(spark, snapshot, parameters, asked, only))
    last.get
  }
  private var last: Option[DeltaFileIndex] = None

  /** How many files may have rows that pass, of how many. */
  def counts(filters: Seq[Expression]): (Int, Int) = (select(filters).map(_._2.size).sum, files.size)
  override lazy val sizeInBytes: Long = files.iterator.map(_.size).sum

  // What directories hold is of no interest.
  override protected def leafFiles: mutable.LinkedHashMap[Path, FileStatus] = mutable.LinkedHashMap.empty
  override protected def leafDirToChildrenFiles: Map[Path, Array[FileStatus]] = Map.empty

  private lazy val partitions: Seq[PartitionFiles] =
    files.groupBy(_.partition).toSeq.map { case (texts, files) =>
      new PartitionFiles(values.row(texts), files, asked)
    }

  override def listFiles(filters: Seq[Expression], dataFilters: Seq[Expression]): Seq[PartitionDirectory] =
    select(filters).map { case (values, files) => PartitionDirectory(values, files.map(status).toArray) }

  /** The files whose partition values may pass, and of which statistics do not say that no row of theirs does. */
  private def select(filters: Seq[Expression]): Seq[(InternalRow, IndexedSeq[DeltaFile])] = {
    val names = columns.fieldNames.toSet
    val usable = filters.filter(_.references.forall(a => names(a.name)))
    val chosen = usable.reduceOption(And(_, _)).fold(partitions) { filter =>
      val predicate = PartitionCondition.bound(filter, columns)
      partitions.filter(partition => predicate.eval(partition.values))
    }
    chosen.map(partition => (partition.values, partition.kept)).filter(_._2.nonEmpty)
  }

  /** The files of a partition; statistics are looked at where its values pass, and with these values. */
  private final class PartitionFiles(
      val values: InternalRow,
      files: IndexedSeq[DeltaFile],
      asked: Option[AskedOfFiles]
  ) {
    lazy val kept: IndexedSeq[DeltaFile] = asked.fold(files) { asked =>
      val skipping = new FileSkipping(snapshot.schema, asked.at(values, columns), caseSensitive)
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
  private def key = (snapshot.root, snapshot.version, asked, caseSensitive, only)
}
