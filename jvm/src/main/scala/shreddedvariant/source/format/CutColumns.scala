/**
 * Brings to the driver which columns have more paths or keys than are counted, and warns of each there, once a write.
 *
 * An accumulator, because that is what tasks send home on every route: commits of files carry no messages of ours. What
 * tasks send is read by threads of Spark that do not know the classes of a session's jar. So tasks fill and send Spark's own
 * accumulator, which is what `copyAndReset` makes of this one when Spark sends it to them; this class stays in the driver.
 */
package shreddedvariant.source.format

import java.util.{List => JavaList}

import scala.jdk.CollectionConverters._

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.util.{AccumulatorV2, CollectionAccumulator}
import shreddedvariant.Errors

final class CutColumns extends CollectionAccumulator[String] with Logging {
  private var told = Set.empty[String]

  /** In the driver, for each task that has succeeded. */
  override def merge(other: AccumulatorV2[String, JavaList[String]]): Unit = {
    val columns = other.value.asScala.toSet -- told
    columns.toSeq.sorted.foreach(column => logWarning(Errors.pathsLeftOut(column)))
    told ++= columns
  }
}

object CutColumns {
  def register(spark: SparkSession): CutColumns = {
    val columns = new CutColumns
    spark.sparkContext.register(columns)
    columns
  }
}
