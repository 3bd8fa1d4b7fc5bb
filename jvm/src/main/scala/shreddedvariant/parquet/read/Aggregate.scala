/** The aggregates that a scan computes of its files, each in part: Spark puts the parts together. */
package shreddedvariant.parquet.read

import org.apache.spark.sql.types.{DataType, LongType, StructField}
import shreddedvariant.stats.{Column, ExactAggregates}

/** A column as it is read, and as statistics know it. */
final case class AggregatedColumn(field: StructField, column: Column)

sealed abstract class Aggregate extends Serializable {
  def of: Option[AggregatedColumn]
  def dataType: DataType

  /** As EXPLAIN shows it. */
  def text: String

  /** Whether it follows from what the footer tells exactly of its column. */
  def followsFrom(tally: ExactAggregates): Boolean
}

object Aggregate {
  case object CountRows extends Aggregate {
    override def of: Option[AggregatedColumn] = None
    override def dataType: DataType = LongType
    override def text: String = "count(*)"
    override def followsFrom(tally: ExactAggregates): Boolean = true
  }

  final case class CountValues(counted: AggregatedColumn) extends Aggregate {
    override def of: Option[AggregatedColumn] = Some(counted)
    override def dataType: DataType = LongType
    override def text: String = s"count(${counted.column.text})"
    override def followsFrom(tally: ExactAggregates): Boolean = true
  }

  /** The minimum or the maximum. */
  final case class MinMax(compared: AggregatedColumn, isMax: Boolean) extends Aggregate {
    override def of: Option[AggregatedColumn] = Some(compared)
    override def dataType: DataType = compared.field.dataType
    override def text: String = s"${if (isMax) "max" else "min"}(${compared.column.text})"
    override def followsFrom(tally: ExactAggregates): Boolean = tally.values == 0 || tally.ends.isDefined
  }
}
