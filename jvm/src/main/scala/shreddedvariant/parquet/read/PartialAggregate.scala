/** The partial result of an aggregate, from exact aggregates of footers and from values of batches. */
package shreddedvariant.parquet.read

import org.apache.spark.sql.catalyst.util.SQLOrderingUtil
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector
import shreddedvariant.stats.{Datum, ExactAggregates}

abstract class PartialAggregate {
  def add(tally: ExactAggregates): Unit
  def add(values: ColumnVector, rows: Int): Unit

  /** The result as Spark's internal rows represent it. */
  def result: Any
}

object PartialAggregate {
  def of(aggregate: Aggregate): PartialAggregate = aggregate match {
    case Aggregate.CountRows | _: Aggregate.CountValues => new Counted
    case Aggregate.MinMax(compared, isMax) => compared.field.dataType match {
        case BooleanType => new BooleanMinMax(isMax)
        case ByteType => new ByteMinMax(isMax)
        case ShortType => new ShortMinMax(isMax)
        case IntegerType | DateType | _: YearMonthIntervalType => new IntMinMax(isMax)
        case FloatType => new FloatMinMax(isMax)
        case DoubleType => new DoubleMinMax(isMax)
        case decimal: DecimalType => new DecimalMinMax(decimal, isMax)
        case _ => new LongMinMax(isMax)
      }
  }
}

private[parquet] final class Counted extends PartialAggregate {
  private var count = 0L

  override def add(tally: ExactAggregates): Unit = count += tally.values

  override def add(values: ColumnVector, rows: Int): Unit =
    if (!values.hasNull) count += rows
    else {
      var nonNull = 0
      var row = 0
      while (row < rows) {
        if (!values.isNullAt(row)) nonNull += 1
        row += 1
      }
      count += nonNull
    }

  override def result: Any = count
}

/** The min or max; NULL without values. */
private[parquet] abstract class PartialMinMax(isMax: Boolean) extends PartialAggregate {
  protected var hasValue = false

  protected def update(end: Datum): Unit
  protected def updateAt(values: ColumnVector, row: Int): Unit
  protected def value: Any

  override def add(values: ColumnVector, rows: Int): Unit = {
    var row = 0
    while (row < rows) {
      if (!values.isNullAt(row)) updateAt(values, row)
      row += 1
    }
  }

  override def add(tally: ExactAggregates): Unit =
    for ((min, max) <- tally.ends if tally.values > 0) update(if (isMax) max else min)

  override def result: Any = if (hasValue) value else null
}

/** For types that are ordered as whole numbers. */
private[parquet] abstract class WholeNumberMinMax(isMax: Boolean) extends PartialMinMax(isMax) {
  protected var best = 0L

  protected final def update(number: Long): Unit =
    if (!hasValue || (if (isMax) number > best else number < best)) { best = number; hasValue = true }

  override protected def update(end: Datum): Unit = end match {
    case Datum.Exact(number) => update(number.longValueExact)
    case other => throw new IllegalStateException(s"no whole number: $other")
  }
}

private[parquet] final class BooleanMinMax(isMax: Boolean) extends WholeNumberMinMax(isMax) {
  override protected def updateAt(values: ColumnVector, row: Int): Unit =
    update(if (values.getBoolean(row)) 1L else 0L)
  override protected def value: Any = best == 1
}

private[parquet] final class ByteMinMax(isMax: Boolean) extends WholeNumberMinMax(isMax) {
  override protected def updateAt(values: ColumnVector, row: Int): Unit = update(values.getByte(row).toLong)
  override protected def value: Any = best.toByte
}

private[parquet] final class ShortMinMax(isMax: Boolean) extends WholeNumberMinMax(isMax) {
  override protected def updateAt(values: ColumnVector, row: Int): Unit = update(values.getShort(row).toLong)
  override protected def value: Any = best.toShort
}

private[parquet] final class IntMinMax(isMax: Boolean) extends WholeNumberMinMax(isMax) {
  override protected def updateAt(values: ColumnVector, row: Int): Unit = update(values.getInt(row).toLong)
  override protected def value: Any = best.toInt
}

private[parquet] final class LongMinMax(isMax: Boolean) extends WholeNumberMinMax(isMax) {
  override protected def updateAt(values: ColumnVector, row: Int): Unit = update(values.getLong(row))
  override protected def value: Any = best
}

/**
 * Uses Spark's order: NaN is greater than all other numbers, and 0.0 equals -0.0. The first of equal values is
 * kept.
 */
private[parquet] abstract class FloatingExtreme(isMax: Boolean) extends PartialMinMax(isMax) {
  protected var best = 0.0

  protected final def update(number: Double): Unit = {
    val order = if (hasValue) SQLOrderingUtil.compareDoubles(number, best) else 0
    if (!hasValue || (if (isMax) order > 0 else order < 0)) { best = number; hasValue = true }
  }

  override protected def update(end: Datum): Unit = end match {
    case Datum.Floating(number) => update(number)
    case other => throw new IllegalStateException(s"no floating number: $other")
  }
}

private[parquet] final class FloatMinMax(isMax: Boolean) extends FloatingExtreme(isMax) {
  override protected def updateAt(values: ColumnVector, row: Int): Unit =
    update(values.getFloat(row).toDouble)
  override protected def value: Any = best.toFloat
}

private[parquet] final class DoubleMinMax(isMax: Boolean) extends FloatingExtreme(isMax) {
  override protected def updateAt(values: ColumnVector, row: Int): Unit = update(values.getDouble(row))
  override protected def value: Any = best
}

private[parquet] final class DecimalMinMax(decimal: DecimalType, isMax: Boolean)
    extends PartialMinMax(isMax) {
  private var best: Decimal = _

  private def update(number: Decimal): Unit =
    if (!hasValue || (if (isMax) number > best else number < best)) { best = number; hasValue = true }

  override protected def update(end: Datum): Unit = end match {
    case Datum.Exact(number) => update(Decimal(BigDecimal(number), decimal.precision, decimal.scale))
    case other => throw new IllegalStateException(s"no decimal: $other")
  }
  override protected def updateAt(values: ColumnVector, row: Int): Unit =
    update(values.getDecimal(row, decimal.precision, decimal.scale))
  override protected def value: Any = best
}
