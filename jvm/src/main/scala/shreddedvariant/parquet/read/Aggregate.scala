/**
 * The aggregates that a scan computes partially, for each split of a file; Spark merges the partial results.
 */
package shreddedvariant.parquet.read

import org.apache.spark.sql.types.{DataType, LongType, StructField}
import shreddedvariant.stats.{Column, ExactAggregates}

/** A column as the field to read, and as the column of predicates and statistics. */
final case class AggregatedColumn(field: StructField, column: Column)

sealed abstract class Aggregate extends Serializable {
  def of: Option[AggregatedColumn]
  def dataType: DataType

  /** The text in EXPLAIN. */
  def text: String

  /** Whether the exact aggregates of its column in the footer give the result. */
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

  /** The min or the max of a column. */
  final case class MinMax(compared: AggregatedColumn, isMax: Boolean) extends Aggregate {
    override def of: Option[AggregatedColumn] = Some(compared)
    override def dataType: DataType = compared.field.dataType
    override def text: String = s"${if (isMax) "max" else "min"}(${compared.column.text})"
    override def followsFrom(tally: ExactAggregates): Boolean = tally.values == 0 || tally.ends.isDefined
  }
}
