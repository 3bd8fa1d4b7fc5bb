/** The counts of what was read and skipped, as metrics of a scan: Spark adds them up and shows them in its SQL tab. */
package shreddedvariant.source

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomSumMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.read.PartitionReader
import shreddedvariant.parquet.{ReadCount, ReadCounts}

object ReadMetrics {
  def all: Array[CustomMetric] = ReadCount.all.map[CustomMetric] { count =>
    count.unit match {
      case ReadCount.Number => new CountMetric(count.name, count.description)
      case ReadCount.Bytes => new ByteMetric(count.name, count.description)
      case ReadCount.Nanoseconds => new TimeMetric(count.name, count.description)
    }
  }.toArray

  def of(counts: ReadCounts): Array[CustomTaskMetric] =
    ReadCount.all.map[CustomTaskMetric](count => TaskCount(count.name, counts(count))).toArray
}

final case class TaskCount(name: String, value: Long) extends CustomTaskMetric

/** Spark's listener makes one by its class alone, to add up values; names come from the one that the scan gave. */
final class CountMetric(override val name: String, override val description: String) extends CustomSumMetric {
  def this() = this("", "")
}

final class ByteMetric(override val name: String, override val description: String) extends CustomMetric {
  def this() = this("", "")

  override def aggregateTaskMetrics(values: Array[Long]): String = {
    val bytes = values.sum
    val power = (63 - java.lang.Long.numberOfLeadingZeros(math.max(bytes, 1))) / 10
    if (power == 0) s"$bytes B"
    else f"${bytes.toDouble / (1L << (10 * power))}%.1f ${"KMGTPE".charAt(power - 1)}iB"
  }
}

/** Of all tasks together, in milliseconds. */
final class TimeMetric(override val name: String, override val description: String) extends CustomMetric {
  def this() = this("", "")

  override def aggregateTaskMetrics(values: Array[Long]): String = s"${values.sum / 1000000} ms"
}

/** Readers of the files of one partition hand no metrics on: their common counts stand beside them. */
final class CountedReader[T](reader: PartitionReader[T], counts: ReadCounts) extends PartitionReader[T] {
  override def next(): Boolean = reader.next()
  override def get(): T = reader.get()
  override def close(): Unit = reader.close()
  override def currentMetricsValues(): Array[CustomTaskMetric] = ReadMetrics.of(counts)
}
