/**
 * Reads one split of a file as one row: the partition values, followed by the partial results of the
 * aggregates.
 *
 * Aggregates of a row group are taken from the footer if it gives them exactly. Else only the columns of the
 * remaining aggregates are decoded.
 */
package shreddedvariant.parquet.read

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.types.{StructField, StructType}
import shreddedvariant.parquet.bind.ReadJob
import shreddedvariant.parquet.file.RowGroup
import shreddedvariant.stats.ExactAggregates

/** The partition columns by which rows are grouped, and the aggregates, both in the order of the result. */
final case class AggregateJob(read: ReadJob, groupBy: Seq[String], aggregates: Seq[Aggregate])

final class AggregateReader(
    split: PartitionedFile,
    job: AggregateJob,
    conf: Configuration,
    counts: ReadCounts
) extends PartitionReader[InternalRow] {
  private val file = new FileSplit(split, job.read, conf, counts)
  private val tallies = file.tallies
  private val partials = job.aggregates.map(a => a -> PartialAggregate.of(a))
  private val readers = mutable.Map.empty[Seq[StructField], GroupReader]
  private var failure: Option[Throwable] = None
  private var isDone = false

  // Refuses columns that cannot be read, even if the footer answers all aggregates.
  reader(job.read.columns.fields.toSeq)

  /** A split without rows gives no row, because a group of the result needs at least one row. */
  override def next(): Boolean =
    if (isDone) false
    else {
      isDone = true
      file.countFile(hasRead = true)
      val groups = file.groups.filter(_.rows > 0)
      groups.iterator.takeWhile(_ => failure.isEmpty).foreach(answer)
      groups.nonEmpty
    }

  /**
   * Raises the error of a failed cast here, not in `next`, where Spark would wrap or ignore it as an error of
   * the file.
   */
  override def get(): InternalRow = {
    failure.foreach(throw _)
    val group = job.groupBy.map { name =>
      val i = job.read.partitions.fieldIndex(name)
      split.partitionValues.get(i, job.read.partitions(i).dataType)
    }
    new GenericInternalRow((group ++ partials.map(_._2.result)).toArray[Any])
  }

  override def close(): Unit = {
    readers.valuesIterator.foreach(_.close())
    file.close()
  }

  private def answer(group: RowGroup): Unit = {
    val remaining = partials.filterNot { case (aggregate, partial) =>
      val tally = tallyOf(aggregate, group).filter(aggregate.followsFrom)
      tally.foreach(partial.add(_))
      tally.isDefined
    }
    if (remaining.isEmpty) counts.add(ReadCount.RowGroupsAnswered, 1) else decode(group, remaining)
  }

  private def tallyOf(aggregate: Aggregate, group: RowGroup): Option[ExactAggregates] =
    aggregate.of.fold(Option(ExactAggregates(group.rows, None)))(input => tallies.of(input.column, group))

  private def decode(group: RowGroup, remaining: Seq[(Aggregate, PartialAggregate)]): Unit = {
    val fields = job.read.columns.fields.toSeq.filter(f => remaining.exists(_._1.of.exists(_.field == f)))
    val indexes = remaining.map { case (aggregate, _) => fields.indexOf(aggregate.of.get.field) }
    val columns = reader(fields)
    val rows = file.source.rows(group, columns.needed(group))
    columns.open(group, rows)
    var rowsLeft = rows.size
    while (rowsLeft > 0 && failure.isEmpty) {
      val count = math.min(rowsLeft, job.read.batchSize.toLong).toInt
      columns.read(count)
      try {
        val vectors = columns.vectors
        for (((_, partial), index) <- remaining.zip(indexes)) partial.add(vectors(index), count)
      } catch { case NonFatal(e) => failure = Some(e) }
      rowsLeft -= count
    }
  }

  private def reader(fields: Seq[StructField]): GroupReader =
    readers.getOrElseUpdate(fields, file.columns(StructType(fields)))
}
