/**
 * Late materialisation: reads the columns of the filter first, then the other columns for the rows that pass.
 *
 * The filter's columns are decoded once: their values in the rows that pass are kept and returned with the
 * other columns.
 */
package shreddedvariant.parquet.read

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import shreddedvariant.SparkBridge
import shreddedvariant.parquet.bind.{ReadJob, RowFilter}
import shreddedvariant.parquet.file.RowGroup
import shreddedvariant.parquet.vector.{LeafColumnReader, VectorAllocator, VectorType}
import shreddedvariant.stats.{RowRange, RowRanges}

final class LateReader(
    filter: RowFilter,
    columns: StructType,
    filterColumns: GroupReader,
    otherColumns: GroupReader,
    source: GroupSource,
    job: ReadJob
) {
  private val batchSize = job.batchSize
  private val vectors = new VectorAllocator(batchSize, job.offHeap)
  private val test = filter.test
  private val kept = new KeptRows(filter.columns, batchSize, vectors)
  private val attempts = filter.attempts
  private var batch = 0

  /** The index of each column of the query in the filter's columns, followed by the other columns. */
  private val order = {
    val (filtered, others) = columns.fieldNames.partition(filter.columns.fieldNames.contains)
    columns.fieldNames.map { name =>
      if (filtered.contains(name)) filter.columns.fieldIndex(name) else filtered.length + others.indexOf(name)
    }
  }

  /**
   * The given rows that pass the filter; None if late materialisation does not pay, or if the filter raises an
   * error.
   */
  def surviving(group: RowGroup, rows: RowRanges): Option[RowRanges] = {
    val (filterLeaves, otherLeaves) = (filterColumns.needed(group), otherColumns.needed(group))
    // Columns may share leaves, such as the residual of a map. Leaves of the filter are always read.
    val filterPaths = filterLeaves.iterator.map(_.path).toSet
    val avoidable = otherLeaves.filterNot(leaf => filterPaths(leaf.path))
    if (!LateReader.mayPay(group, otherLeaves, avoidable)) None
    else {
      source.prepare(group, filterLeaves ++ otherLeaves)
      val survivors = find(group, rows, LateCost(group, filter.columns.length, avoidable))
      attempts.ended(survivors.isDefined)
      survivors.foreach { survivors =>
        batch = 0
        source.countSurvivors(group, otherLeaves, rows.size - survivors.size, survivors.isEmpty)
        if (!survivors.isEmpty) otherColumns.open(group, survivors)
      }
      survivors
    }
  }

  /** All columns of the query for the next rows that pass. */
  def read(rows: Int): Array[ColumnVector] = {
    otherColumns.read(rows)
    val vectors = kept.batch(batch) ++ otherColumns.vectors
    batch += 1
    order.map(vectors)
  }

  def close(): Unit = {
    filterColumns.close()
    otherColumns.close()
    vectors.close()
  }

  private def find(group: RowGroup, rows: RowRanges, cost: LateCost): Option[RowRanges] = {
    filterColumns.open(group, rows)
    kept.clear()
    val spans = mutable.ArrayBuffer.empty[RowRange]
    val numbers = new RowNumbers(rows)
    var remaining = rows.size
    while (remaining > 0) {
      val count = math.min(remaining, batchSize.toLong).toInt
      filterColumns.read(count)
      val batch = new ColumnarBatch(filterColumns.vectors, count)
      if (!keep(batch, rows.size - remaining, numbers, spans)) return None
      remaining -= count
      val tested = rows.size - remaining
      if (tested >= LateReader.TrialRows && !cost.isWorth(kept.size.toDouble / tested)) return None
    }
    Some(RowRanges.of(spans))
  }

  /** Keeps the rows of a batch that pass; false if the filter raises an error. */
  private def keep(
      rows: ColumnarBatch,
      first: Long,
      numbers: RowNumbers,
      spans: mutable.ArrayBuffer[RowRange]
  ): Boolean = {
    var i = 0
    while (i < rows.numRows) {
      val row = rows.getRow(i)
      test(row) match {
        case None => return false
        case Some(passes) =>
          if (passes) {
            kept.add(row)
            val number = numbers.of(first + i)
            val last = spans.size - 1
            if (last >= 0 && spans(last).until == number) spans(last) = RowRange(spans(last).from, number + 1)
            else spans += RowRange(number, number + 1)
          }
      }
      i += 1
    }
    true
  }
}

object LateReader {

  /**
   * Needs offset indexes to skip rows, and enough bytes per row: few bytes are decoded faster than filtered.
   */
  def mayPay(group: RowGroup, others: Seq[LeafColumnReader], avoidable: Seq[LeafColumnReader]): Boolean =
    others.forall(leaf => group.hasOffsets(leaf.path)) &&
      avoidable.iterator.map(leaf => group.decodedBytes(leaf.path)).sum >= MinBytesPerRow * group.rows

  private val MinBytesPerRow = 16L

  /** The share of passing rows is evaluated after this number of rows. */
  private val TrialRows = 8192L
}

/** Estimates costs per row, in nanoseconds on some machine. Only the ratios matter. */
private[parquet] final case class LateCost(filterColumns: Int, leaves: Int, bytesOfRow: Double) {

  /** Whether filtering and reading the share `survivors` of the rows is cheaper than decoding all rows. */
  def isWorth(survivors: Double): Boolean = {
    // If no row passes, pages are not even decompressed.
    val saved = leaves * 2 + bytesOfRow * (if (survivors == 0) 1.0 else 0.15)
    val spent = 15 + survivors * (leaves * 40 + filterColumns * 20)
    spent <= saved
  }
}

private[parquet] object LateCost {
  def apply(group: RowGroup, filterColumns: Int, others: Seq[LeafColumnReader]): LateCost = {
    val bytes = others.iterator.map(leaf => group.decodedBytes(leaf.path)).sum
    LateCost(filterColumns, others.size, bytes.toDouble / group.rows)
  }
}

/** Gives the row numbers of selected rows, for indexes in ascending order. */
private[parquet] final class RowNumbers(rows: RowRanges) {
  private var span = 0
  private var before = 0L

  /** The number of the selected row with the given index. */
  def of(index: Long): Long = {
    while (index - before >= rows.spans(span).size) {
      before += rows.spans(span).size
      span += 1
    }
    rows.spans(span).from + index - before
  }
}

/** Keeps rows of the filter's columns, in vectors of the size of a batch. */
private[parquet] final class KeptRows(columns: StructType, batchSize: Int, vectors: VectorAllocator) {
  private val converter = SparkBridge.rowConverter(VectorType(columns))
  private val batches = mutable.ArrayBuffer.empty[Array[WritableColumnVector]]
  private var rows = 0L

  def size: Long = rows
  def clear(): Unit = rows = 0

  def add(row: InternalRow): Unit = {
    val number = (rows / batchSize).toInt
    if (rows % batchSize == 0) start(number)
    converter.accept(row, batches(number))
    rows += 1
  }

  def batch(number: Int): Array[ColumnVector] = batches(number).map(v => v: ColumnVector)

  private def start(number: Int): Unit =
    if (number < batches.size) batches(number).foreach(_.reset())
    else batches += VectorType(columns).fields.map(f => vectors.announce(f.dataType))
}
