/** The files of one version of a Delta table as Spark's scans ask for them: listed by its log, never by a directory. */
package shreddedvariant.source

import scala.collection.mutable

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.datasources.{
  PartitionDirectory,
  PartitionSpec,
  PartitioningAwareFileIndex
}
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.delta.{DeltaFile, DeltaSnapshot}

final class DeltaFileIndex(spark: SparkSession, val snapshot: DeltaSnapshot, parameters: Map[String, String])
    extends PartitioningAwareFileIndex(spark, parameters, None) {
  private val columns: StructType = snapshot.partitionSchema
  private val zone = spark.sessionState.conf.sessionLocalTimeZone

  override val rootPaths: Seq[Path] = Seq(new Path(snapshot.root))
  override def partitionSpec(): PartitionSpec = PartitionSpec(columns, Seq.empty)
  override def refresh(): Unit = ()
  override def allFiles(): Seq[FileStatus] = snapshot.files.map(status)
  override lazy val sizeInBytes: Long = snapshot.files.iterator.map(_.size).sum

  // What directories hold is of no interest.
  override protected def leafFiles: mutable.LinkedHashMap[Path, FileStatus] = mutable.LinkedHashMap.empty
  override protected def leafDirToChildrenFiles: Map[Path, Array[FileStatus]] = Map.empty

  private lazy val partitions: Seq[(InternalRow, IndexedSeq[DeltaFile])] =
    snapshot.files.groupBy(_.partition).toSeq.map { case (texts, files) => (values(texts), files) }

  override def listFiles(filters: Seq[Expression], dataFilters: Seq[Expression]): Seq[PartitionDirectory] =
    select(filters).map { case (values, files) => PartitionDirectory(values, files.map(status).toArray) }

  /** The files whose partition values may pass. */
  private def select(filters: Seq[Expression]): Seq[(InternalRow, IndexedSeq[DeltaFile])] = {
    val names = columns.fieldNames.toSet
    val usable = filters.filter(_.references.forall(a => names(a.name)))
    usable.reduceOption(And(_, _)).fold(partitions) { filter =>
      val bound = filter.transform { case a: AttributeReference =>
        val i = columns.fieldIndex(a.name)
        BoundReference(i, columns(i).dataType, nullable = true)
      }
      val predicate = Predicate.createInterpreted(bound)
      partitions.filter { case (values, _) => predicate.eval(values) }
    }
  }

  /** The log has values of partition columns as text; an empty one is NULL. */
  private def values(texts: Map[String, String]): InternalRow = InternalRow.fromSeq(columns.map { column =>
    texts.get(column.name).filter(text => text != null && text.nonEmpty).map { text =>
      Cast(
        Literal(UTF8String.fromString(text), StringType),
        column.dataType,
        Some(zone),
        EvalMode.LEGACY
      ).eval()
    }.orNull
  })

  private def status(file: DeltaFile) =
    new FileStatus(file.size, false, 0, 0, file.modified, new Path(file.path))

  /** A version of a table never changes. */
  override def equals(other: Any): Boolean = other match {
    case that: DeltaFileIndex =>
      snapshot.root == that.snapshot.root && snapshot.version == that.snapshot.version
    case _ => false
  }
  override def hashCode: Int = (snapshot.root, snapshot.version).hashCode
}
