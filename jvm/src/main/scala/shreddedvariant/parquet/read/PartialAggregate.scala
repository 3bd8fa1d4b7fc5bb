/** What an aggregate has come to so far: from tallies of footers, and from the values of batches. */
package shreddedvariant.parquet.read

import org.apache.spark.sql.catalyst.util.SQLOrderingUtil
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector
import shreddedvariant.stats.{Datum, ExactAggregates}

abstract class PartialAggregate {
  def add(tally: ExactAggregates): Unit
  def add(values: ColumnVector, rows: Int): Unit

  /** As rows of Spark hold it. */
  def result: Any
}

object PartialAggregate {
  def of(aggregate: Aggregate): PartialAggregate = aggregate match {
    case Aggregate.CountRows | _: Aggregate.CountValues => new Counted
    case Aggregate.MinMax(compared, isGreatest) => compared.field.dataType match {
        case BooleanType => new BooleanExtreme(isGreatest)
        case ByteType => new ByteExtreme(isGreatest)
        case ShortType => new ShortExtreme(isGreatest)
        case IntegerType | DateType | _: YearMonthIntervalType => new IntExtreme(isGreatest)
        case FloatType => new FloatExtreme(isGreatest)
        case DoubleType => new DoubleExtreme(isGreatest)
        case decimal: DecimalType => new DecimalExtreme(decimal, isGreatest)
        case _ => new LongExtreme(isGreatest)
      }
  }
}

private[parquet] final class Counted extends PartialAggregate {
  private var count = 0L

  override def add(tally: ExactAggregates): Unit = count += tally.values

  override def add(values: ColumnVector, rows: Int): Unit =
    if (!values.hasNull) count += rows
    else {
      var found = 0
      var row = 0
      while (row < rows) {
        if (!values.isNullAt(row)) found += 1
        row += 1
      }
      count += found
    }

  override def result: Any = count
}

/** The least or greatest value met; NULL where none was. */
private[parquet] abstract class PartialMinMax(isGreatest: Boolean) extends PartialAggregate {
  protected var isMet = false

  protected def meet(end: Datum): Unit
  protected def meetValue(values: ColumnVector, row: Int): Unit
  protected def value: Any

  override def add(values: ColumnVector, rows: Int): Unit = {
    var row = 0
    while (row < rows) {
      if (!values.isNullAt(row)) meetValue(values, row)
      row += 1
    }
  }

  override def add(tally: ExactAggregates): Unit =
    for ((least, greatest) <- tally.ends if tally.values > 0) meet(if (isGreatest) greatest else least)

  override def result: Any = if (isMet) value else null
}

/** Whatever orders as whole numbers do. */
private[parquet] abstract class WholeExtreme(isGreatest: Boolean) extends PartialMinMax(isGreatest) {
  protected var best = 0L

  protected final def meet(number: Long): Unit =
    if (!isMet || (if (isGreatest) number > best else number < best)) { best = number; isMet = true }

  override protected def meet(end: Datum): Unit = end match {
    case Datum.Exact(number) => meet(number.longValueExact)
    case other => throw new IllegalStateException(s"no whole number: $other")
  }
}

private[parquet] final class BooleanExtreme(isGreatest: Boolean) extends WholeExtreme(isGreatest) {
  override protected def meetValue(values: ColumnVector, row: Int): Unit =
    meet(if (values.getBoolean(row)) 1L else 0L)
  override protected def value: Any = best == 1
}

private[parquet] final class ByteExtreme(isGreatest: Boolean) extends WholeExtreme(isGreatest) {
  override protected def meetValue(values: ColumnVector, row: Int): Unit = meet(values.getByte(row).toLong)
  override protected def value: Any = best.toByte
}

private[parquet] final class ShortExtreme(isGreatest: Boolean) extends WholeExtreme(isGreatest) {
  override protected def meetValue(values: ColumnVector, row: Int): Unit = meet(values.getShort(row).toLong)
  override protected def value: Any = best.toShort
}

private[parquet] final class IntExtreme(isGreatest: Boolean) extends WholeExtreme(isGreatest) {
  override protected def meetValue(values: ColumnVector, row: Int): Unit = meet(values.getInt(row).toLong)
  override protected def value: Any = best.toInt
}

private[parquet] final class LongExtreme(isGreatest: Boolean) extends WholeExtreme(isGreatest) {
  override protected def meetValue(values: ColumnVector, row: Int): Unit = meet(values.getLong(row))
  override protected def value: Any = best
}

/** In Spark's order: NaN is greater than all others, 0.0 and -0.0 are equal, and the first of equals stays. */
private[parquet] abstract class FloatingExtreme(isGreatest: Boolean) extends PartialMinMax(isGreatest) {
  protected var best = 0.0

  protected final def meet(number: Double): Unit = {
    val order = if (isMet) SQLOrderingUtil.compareDoubles(number, best) else 0
    if (!isMet || (if (isGreatest) order > 0 else order < 0)) { best = number; isMet = true }
  }

  override protected def meet(end: Datum): Unit = end match {
    case Datum.Floating(number) => meet(number)
    case other => throw new IllegalStateException(s"no floating number: $other")
  }
}

private[parquet] final class FloatExtreme(isGreatest: Boolean) extends FloatingExtreme(isGreatest) {
  override protected def meetValue(values: ColumnVector, row: Int): Unit = meet(values.getFloat(row).toDouble)
  override protected def value: Any = best.toFloat
}

private[parquet] final class DoubleExtreme(isGreatest: Boolean) extends FloatingExtreme(isGreatest) {
  override protected def meetValue(values: ColumnVector, row: Int): Unit = meet(values.getDouble(row))
  override protected def value: Any = best
}

private[parquet] final class DecimalExtreme(decimal: DecimalType, isGreatest: Boolean)
    extends PartialMinMax(isGreatest) {
  private var best: Decimal = _

  private def meet(number: Decimal): Unit =
    if (!isMet || (if (isGreatest) number > best else number < best)) { best = number; isMet = true }

  override protected def meet(end: Datum): Unit = end match {
    case Datum.Exact(number) => meet(Decimal(BigDecimal(number), decimal.precision, decimal.scale))
    case other => throw new IllegalStateException(s"no decimal: $other")
  }
  override protected def meetValue(values: ColumnVector, row: Int): Unit =
    meet(values.getDecimal(row, decimal.precision, decimal.scale))
  override protected def value: Any = best
}
