/**
 * Reads one split of a file as one row: what the aggregates come to there, behind the partition's values.
 *
 * Each row group is asked through its footer first. The columns of those aggregates that it does not tell exactly are
 * decoded, and nothing else is read.
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

  // What cannot be read is refused, also where nothing of it would be.
  reader(job.read.columns.fields.toSeq)

  /** A split without rows gives no row: a group is there only if one of its rows is. */
  override def next(): Boolean =
    if (isDone) false
    else {
      isDone = true
      file.countFile(hasRead = true)
      val groups = file.groups.filter(_.rows > 0)
      groups.iterator.takeWhile(_ => failure.isEmpty).foreach(answer)
      groups.nonEmpty
    }

  /** A cast that raises is the query's error and none of the file's, which Spark would wrap or ignore in `next`. */
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
    val open = partials.filterNot { case (aggregate, partial) =>
      val tally = tallyOf(aggregate, group).filter(aggregate.followsFrom)
      tally.foreach(partial.add(_))
      tally.isDefined
    }
    if (open.isEmpty) counts.add(ReadCount.RowGroupsAnswered, 1) else decode(group, open)
  }

  private def tallyOf(aggregate: Aggregate, group: RowGroup): Option[ExactAggregates] =
    aggregate.of.fold(Option(ExactAggregates(group.rows, None)))(of => tallies.of(of.column, group))

  private def decode(group: RowGroup, open: Seq[(Aggregate, PartialAggregate)]): Unit = {
    val fields = job.read.columns.fields.toSeq.filter(f => open.exists(_._1.of.exists(_.field == f)))
    val places = open.map { case (aggregate, _) => fields.indexOf(aggregate.of.get.field) }
    val columns = reader(fields)
    val rows = file.source.rows(group, columns.needed(group))
    columns.open(group, rows)
    var left = rows.size
    while (left > 0 && failure.isEmpty) {
      val count = math.min(left, job.read.batchSize.toLong).toInt
      columns.read(count)
      try {
        val vectors = columns.vectors
        for (((_, partial), place) <- open.zip(places)) partial.add(vectors(place), count)
      } catch { case NonFatal(e) => failure = Some(e) }
      left -= count
    }
  }

  private def reader(fields: Seq[StructField]): GroupReader =
    readers.getOrElseUpdate(fields, file.columns(StructType(fields)))
}
