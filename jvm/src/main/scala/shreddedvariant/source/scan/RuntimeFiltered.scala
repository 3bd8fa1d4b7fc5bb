/** A scan that takes filters while the query runs: keys of the other side of a join, results of subqueries. */
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
 * One scan serves many executions: the rounds of a recursive query, the parts of a plan that share it, threads that run
 * such plans side by side. Each brings filters of its own.
 *
 * Law: a filter leaves out rows of that execution alone that has told it. Spark tells the filters and then asks for the
 * batch and its partitions, one after the other on one thread, and nothing else of this scan in between
 * (`PushDownUtils.replanWithRuntimeFilters`). So filters are kept for the thread that tells them, and the batch that it
 * asks for takes them away. Spark does not say for which execution it asks for readers: the partitions carry the
 * filters to them.
 */
trait RuntimeFiltered[S <: RuntimeFiltered[S]] extends SupportsRuntimeCatalystFiltering with Batch {
  @transient private lazy val told = ThreadLocal.withInitial[Seq[Expression]](() => Nil)
  @transient private lazy val planned = new ThreadLocal[S]

  /** This scan with filters that one execution has told. */
  protected def withFilters(filters: Seq[Expression]): S

  private[source] def sparkSession: SparkSession
  private[source] def planFiles(): Seq[FilePartition]
  private[source] def job: ReadJob

  override def filter(expressions: Array[Expression]): Unit =
    told.set(told.get ++ expressions.flatMap(evaluated))

  override def toBatch: Batch = {
    val filters = told.get
    told.remove()
    if (filters.isEmpty) this else new FilteredBatch[S](this, withFilters(filters))
  }

  /** A thread that has planned an execution asks for its metrics next. None stands for this scan as it is. */
  private[source] def plans(filtered: Option[S]): Unit =
    filtered.fold(planned.remove())(planned.set)

  protected def lastPlanned(): Option[S] = {
    val last = Option(planned.get)
    planned.remove()
    last
  }

  /**
   * Whatever statistics can judge: partitions, plain columns, paths of variants and what failed to become their values.
   * Spark refuses names that it finds twice, as it does with those of keys that differ in their case alone.
   */
  override def filterAttributes(): Array[NamedReference] = {
    val times = readSchema().fieldNames.groupBy(_.toLowerCase(Locale.ROOT)).map { case (n, s) =>
      n -> s.length
    }
    val found = readSchema().fields.filter(f => times(f.name.toLowerCase(Locale.ROOT)) == 1)
    found.filter(f => isComparable(f.dataType)).map(f => Expressions.column(quoted(f.name)))
  }

  private def evaluated(e: Expression): Option[Expression] = e match {
    case in: InSubqueryExec =>
      in.values().filter(_.length <= RuntimeFiltered.MostValues).map(values => InSet(in.child, values.toSet))
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

  /** More keys than these are no narrow filter, and cost more than they spare. */
  val MostValues = 50000
}

/** What one execution reads of the scan `all`; `filtered` is that scan with the filters of the execution. */
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
