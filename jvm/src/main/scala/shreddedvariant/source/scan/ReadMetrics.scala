/** The counts of what was read and skipped, as metrics of a scan: Spark adds them up and shows them in its SQL tab. */
package shreddedvariant.source.scan

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomSumMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.read.PartitionReader
import shreddedvariant.parquet.read.{ReadCount, ReadCounts}

object ReadMetrics {

  /**
   * Spark's listener looks for the classes of metrics in a thread that does not know the jars of a session, and warns of each
   * class that it does not find, query by query. So there are metrics only where the loader that all sessions share has them.
   */
  def areKnown(spark: SparkSession): Boolean =
    Iterator
      .iterate(spark.sharedState.jarClassLoader.getParent)(_.getParent)
      .takeWhile(_ != null)
      .contains(getClass.getClassLoader)

  def all(spark: SparkSession): Array[CustomMetric] =
    if (areKnown(spark)) ReadCount.all.map(metric).toArray else Array.empty

  private def metric(count: ReadCount): CustomMetric = count.unit match {
    case ReadCount.Number => new CountMetric(count.name, count.description)
    case ReadCount.Bytes => new ByteMetric(count.name, count.description)
    case ReadCount.Nanoseconds => new TimeMetric(count.name, count.description)
  }

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
