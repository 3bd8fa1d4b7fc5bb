/** A scan that takes filters at run time: keys of the other side of a join, results of subqueries. */
package shreddedvariant.source.scan

import java.util.Locale

import org.apache.spark.SparkEnv
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Expression, InSet}
import org.apache.spark.sql.connector.expressions.{Expressions, NamedReference}
import org.apache.spark.sql.connector.read.{Batch, InputPartition, PartitionReaderFactory}
import org.apache.spark.sql.execution.InSubqueryExec
import org.apache.spark.sql.execution.datasources.FilePartition
import org.apache.spark.sql.internal.connector.SupportsRuntimeCatalystFiltering
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}
import shreddedvariant.parquet.bind.ReadJob

/**
 * One scan serves several executions: the iterations of a recursive query, the parts of a plan that share the
 * scan, and threads that run such plans at the same time. Each execution has its own filters.
 *
 * Law: a filter removes only rows of the execution that passes the filter. Spark calls `filter`, then
 * `toBatch`, then `planInputPartitions` on one thread, and calls nothing else of this scan in between
 * (`PushDownUtils.replanWithRuntimeFilters`). So filters are stored for the thread, and its next batch takes
 * them. Spark creates readers without the execution, so the partitions carry the filters to the readers.
 */
trait RuntimeFiltered[S <: RuntimeFiltered[S]] extends SupportsRuntimeCatalystFiltering with Batch {
  @transient private lazy val pending = ThreadLocal.withInitial[Seq[Expression]](() => Nil)
  @transient private lazy val planned = new ThreadLocal[S]

  /** This scan with the filters of one execution. */
  protected def withFilters(filters: Seq[Expression]): S

  private[source] def sparkSession: SparkSession
  private[source] def planFiles(): Seq[FilePartition]
  private[source] def job: ReadJob

  override def filter(expressions: Array[Expression]): Unit =
    pending.set(pending.get ++ expressions.flatMap(evaluated))

  override def toBatch: Batch = {
    val filters = pending.get
    pending.remove()
    if (filters.isEmpty) this else new FilteredBatch[S](this, withFilters(filters))
  }

  /** Stores the planned scan for the metrics, which its thread requests next. None is the unfiltered scan. */
  private[source] def plans(filtered: Option[S]): Unit =
    filtered.fold(planned.remove())(planned.set)

  protected def lastPlanned(): Option[S] = {
    val last = Option(planned.get)
    planned.remove()
    last
  }

  /**
   * All columns that statistics can judge: partition columns, plain columns, paths of variants and their failed
   * casts. Without names that occur twice, ignoring case, as for paths with keys that differ only in case:
   * Spark refuses them.
   */
  override def filterAttributes(): Array[NamedReference] = {
    val occurrences = readSchema().fieldNames.groupBy(_.toLowerCase(Locale.ROOT)).map { case (n, s) =>
      n -> s.length
    }
    val unique = readSchema().fields.filter(f => occurrences(f.name.toLowerCase(Locale.ROOT)) == 1)
    unique.filter(f => isComparable(f.dataType)).map(f => Expressions.column(quoted(f.name)))
  }

  private def evaluated(e: Expression): Option[Expression] = e match {
    case in: InSubqueryExec =>
      in.values().filter(_.length <= RuntimeFiltered.MaxValues).map(values => InSet(in.child, values.toSet))
    case other if other.exists(_.isInstanceOf[InSubqueryExec]) => None
    case other => Some(other)
  }

  private def isComparable(dataType: DataType) = dataType match {
    case _: StructType | _: ArrayType | _: MapType => false
    case _ => true
  }

  private def quoted(name: String) = s"`${name.replace("`", "``")}`"
}

private object RuntimeFiltered {

  /** With more values, a filter costs more than it saves. */
  val MaxValues = 50000
}

/** The batch of one execution of the scan `all`; `filtered` is the scan with the filters of the execution. */
private final class FilteredBatch[S <: RuntimeFiltered[S]](all: RuntimeFiltered[S], filtered: S)
    extends Batch {
  override def planInputPartitions(): Array[InputPartition] = {
    all.plans(Some(filtered))
    val files = filtered.planFiles()
    if (files.isEmpty) Array.empty
    else {
      val serialized = SparkEnv.get.closureSerializer.newInstance().serialize(filtered.job)
      val bytes = new Array[Byte](serialized.remaining)
      serialized.get(bytes)
      val job = filtered.sparkSession.sparkContext.broadcast(bytes)
      files.map(FilteredPartition(_, job)).toArray
    }
  }

  override def createReaderFactory(): PartitionReaderFactory = all.createReaderFactory()
}
