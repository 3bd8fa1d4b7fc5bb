/** The read and skip counts of a scan as metrics, which Spark adds up and shows in its SQL tab. */
package shreddedvariant.source.scan

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomSumMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.read.PartitionReader
import shreddedvariant.parquet.read.{ReadCount, ReadCounts}

object ReadMetrics {

  /**
   * Whether Spark can load the classes of the metrics. Spark's listener loads them in a thread that does not
   * have the jars of a session, and logs a warning for each missing class in each query. So a scan has metrics
   * only if the class loader of all sessions has the jar.
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

/** Spark's listener needs the constructor without arguments; the instance of the scan has the name. */
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

/** The sum of the nanoseconds of all tasks, shown in milliseconds. */
final class TimeMetric(override val name: String, override val description: String) extends CustomMetric {
  def this() = this("", "")

  override def aggregateTaskMetrics(values: Array[Long]): String = s"${values.sum / 1000000} ms"
}

/** Reports the counts of all files of a partition; Spark's FilePartitionReader would report none. */
final class CountedReader[T](reader: PartitionReader[T], counts: ReadCounts) extends PartitionReader[T] {
  override def next(): Boolean = reader.next()
  override def get(): T = reader.get()
  override def close(): Unit = reader.close()
  override def currentMetricsValues(): Array[CustomTaskMetric] = ReadMetrics.of(counts)
}
