/** Decodes all values of one leaf in one row group, and tallies them by page. */
package shreddedvariant.parquet.verify

import org.apache.parquet.column.{ColumnDescriptor, ColumnReader}
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import shreddedvariant.parquet.file.StatisticsReader
import shreddedvariant.stats.Bounds

/** `starts` has the first row of each page. */
final class LeafValues(leaf: ColumnDescriptor, starts: Array[Long]) {
  private val column = leaf.getPrimitiveType
  val pages: IndexedSeq[LeafTally] = starts.indices.map(_ => new LeafTally(column))
  val levels: Array[Long] = new Array[Long](leaf.getMaxDefinitionLevel + 1)

  def all: LeafTally = {
    val sum = new LeafTally(column)
    pages.foreach(sum.add)
    sum
  }

  def read(reader: ColumnReader, count: Long): Unit = {
    val present = leaf.getMaxDefinitionLevel
    var (remaining, row, page) = (count, -1L, 0)
    while (remaining > 0) {
      if (reader.getCurrentRepetitionLevel == 0) {
        row += 1
        while (page + 1 < starts.length && row >= starts(page + 1)) page += 1
        pages(page).rows += 1
      }
      val level = reader.getCurrentDefinitionLevel
      levels(level) += 1
      if (level == present) pages(page).put(reader) else pages(page).nulls += 1
      pages(page).entries += 1
      reader.consume()
      remaining -= 1
    }
  }
}

/** The exact statistics of values. A NaN is counted by `hasNaN` and is never a bound. */
final class LeafTally(column: PrimitiveType) {
  private val statistics: Statistics[_] = Statistics.createStats(column)
  var rows = 0L
  var entries = 0L
  var nulls = 0L
  var hasNaN = false

  /** Whether a binary has no bytes, which a decimal must not. */
  var hasEmpty = false

  def hasBounds: Boolean = statistics.hasNonNullValue
  def min: AnyRef = statistics.genericGetMin.asInstanceOf[AnyRef]
  def max: AnyRef = statistics.genericGetMax.asInstanceOf[AnyRef]

  def bounds(decode: Option[StatisticsReader.Decoder]): Bounds =
    if (hasBounds) Bounds(decode.flatMap(_(min)), decode.flatMap(_(max))) else Bounds.none

  def put(reader: ColumnReader): Unit = column.getPrimitiveTypeName match {
    case INT32 => statistics.updateStats(reader.getInteger)
    case INT64 => statistics.updateStats(reader.getLong)
    case BOOLEAN => statistics.updateStats(reader.getBoolean)
    case FLOAT =>
      val number = reader.getFloat
      if (number.isNaN) hasNaN = true else statistics.updateStats(number)
    case DOUBLE =>
      val number = reader.getDouble
      if (number.isNaN) hasNaN = true else statistics.updateStats(number)
    case _ =>
      val bytes = reader.getBinary
      if (bytes.length == 0) hasEmpty = true
      statistics.updateStats(bytes)
  }

  def add(other: LeafTally): Unit = {
    rows += other.rows
    entries += other.entries
    nulls += other.nulls
    hasNaN |= other.hasNaN
    hasEmpty |= other.hasEmpty
    if (other.hasBounds) Seq(other.min, other.max).foreach(LeafTally.put(statistics, _))
  }
}

object LeafTally {
  def put(statistics: Statistics[_], value: AnyRef): Unit = value match {
    case number: Integer => statistics.updateStats(number.intValue)
    case number: java.lang.Long => statistics.updateStats(number.longValue)
    case flag: java.lang.Boolean => statistics.updateStats(flag.booleanValue)
    case number: java.lang.Float => statistics.updateStats(number.floatValue)
    case number: java.lang.Double => statistics.updateStats(number.doubleValue)
    case bytes => statistics.updateStats(bytes.asInstanceOf[Binary])
  }
}
