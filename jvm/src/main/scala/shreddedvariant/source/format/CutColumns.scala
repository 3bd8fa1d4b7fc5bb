/**
 * Warns in the driver of each column with more paths or keys than inference counts, once for each write.
 *
 * Tasks report such columns by an accumulator, which works on every route; file commits carry no messages of
 * this source. Threads of Spark deserialize the reports of tasks, and their class loader does not have a
 * session's jar. So tasks get and send Spark's own accumulator, which `copyAndReset` makes of this one; this
 * class stays in the driver.
 */
package shreddedvariant.source.format

import java.util.{List => JavaList}

import scala.jdk.CollectionConverters._

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.util.{AccumulatorV2, CollectionAccumulator}
import shreddedvariant.Errors

final class CutColumns extends CollectionAccumulator[String] with Logging {
  private var warned = Set.empty[String]

  /** Runs in the driver for each task that succeeds. */
  override def merge(other: AccumulatorV2[String, JavaList[String]]): Unit = {
    val columns = other.value.asScala.toSet -- warned
    columns.toSeq.sorted.foreach(column => logWarning(Errors.pathsLeftOut(column)))
    warned ++= columns
  }
}

object CutColumns {
  def register(spark: SparkSession): CutColumns = {
    val columns = new CutColumns
    spark.sparkContext.register(columns)
    columns
  }
}
