/**
 * Brings to the driver which columns have more paths or keys than are counted, and warns of each there, once a write.
 *
 * An accumulator, because that is what tasks send home on every route: commits of files carry no messages of ours.
 */
package shreddedvariant.source

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.util.AccumulatorV2
import shreddedvariant.Errors
import shreddedvariant.layout.Shape
import shreddedvariant.parquet.CutReport

final class CutColumns extends AccumulatorV2[Seq[String], Set[Seq[String]]] with CutReport with Logging {
  private var columns = Set.empty[Seq[String]]

  override def isZero: Boolean = columns.isEmpty
  override def reset(): Unit = columns = Set.empty
  override def value: Set[Seq[String]] = columns
  override def add(column: Seq[String]): Unit = columns += column

  override def copy(): CutColumns = {
    val copy = new CutColumns
    copy.columns = columns
    copy
  }

  /** In the driver, for each task that has succeeded. */
  override def merge(other: AccumulatorV2[Seq[String], Set[Seq[String]]]): Unit = {
    if (isRegistered)
      (other.value -- columns).toSeq.map(_.map(Shape.quoted).mkString(".")).sorted.foreach(column =>
        logWarning(Errors.pathsLeftOut(column))
      )
    columns ++= other.value
  }
}

object CutColumns {
  def register(spark: SparkSession): CutColumns = {
    val columns = new CutColumns
    spark.sparkContext.register(columns)
    columns
  }
}
