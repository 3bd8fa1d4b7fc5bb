/**
 * Late materialisation: the columns of the filter first, then the others for the rows that survive it.
 *
 * The filter's columns are decoded once: their values in surviving rows are kept aside and go out beside the others.
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

  /** Where each column of the query is found: among the filter's, or, after these, among the others. */
  private val order = {
    val (asked, others) = columns.fieldNames.partition(filter.columns.fieldNames.contains)
    columns.fieldNames.map { name =>
      if (asked.contains(name)) filter.columns.fieldIndex(name) else asked.length + others.indexOf(name)
    }
  }

  /** The rows that survive of those given; None where finding them does not pay, or may hide an error. */
  def surviving(group: RowGroup, rows: RowRanges): Option[RowRanges] = {
    val (first, others) = (filterColumns.needed(group), otherColumns.needed(group))
    // Columns may share leaves, such as the residual of a map: these are read for the filter in any case.
    val read = first.iterator.map(_.path).toSet
    val spared = others.filterNot(leaf => read(leaf.path))
    if (!LateReader.mayPay(group, others, spared)) None
    else {
      source.prepare(group, first ++ others)
      val found = find(group, rows, LateCost(group, filter.columns.length, spared))
      attempts.ended(found.isDefined)
      found.foreach { found =>
        batch = 0
        source.countSurvivors(group, others, rows.size - found.size, found.isEmpty)
        if (!found.isEmpty) otherColumns.open(group, found)
      }
      found
    }
  }

  /** The next survivors, all columns of the query. */
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
    var left = rows.size
    while (left > 0) {
      val count = math.min(left, batchSize.toLong).toInt
      filterColumns.read(count)
      val batch = new ColumnarBatch(filterColumns.vectors, count)
      if (!keep(batch, rows.size - left, numbers, spans)) return None
      left -= count
      val tried = rows.size - left
      if (tried >= LateReader.Trial && !cost.isWorth(kept.size.toDouble / tried)) return None
    }
    Some(RowRanges.of(spans))
  }

  /** Keeps the rows of a batch that pass; false where the filter raises. */
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

  /** Only files that say where pages are can leave out rows; and few bytes a row are decoded faster than filtered. */
  def mayPay(group: RowGroup, others: Seq[LeafColumnReader], spared: Seq[LeafColumnReader]): Boolean =
    others.forall(leaf => group.hasOffsets(leaf.path)) &&
      spared.iterator.map(leaf => group.decodedBytes(leaf.path)).sum >= MinBytesOfRow * group.rows

  private val MinBytesOfRow = 16L

  /** After so many rows it shows how many of them pass. */
  private val Trial = 8192L
}

/** What a row takes, in nanoseconds on some machine: only their proportions count. */
private[parquet] final case class LateCost(filterColumns: Int, leaves: Int, bytesOfRow: Double) {

  /** Whether finding the survivors and picking their values takes less than decoding the values of all rows. */
  def isWorth(survivors: Double): Boolean = {
    // Where nothing survives, pages are not even decompressed.
    val spared = leaves * 2 + bytesOfRow * (if (survivors == 0) 1.0 else 0.15)
    val spent = 15 + survivors * (leaves * 40 + filterColumns * 20)
    spent <= spared
  }
}

private[parquet] object LateCost {
  def apply(group: RowGroup, filterColumns: Int, others: Seq[LeafColumnReader]): LateCost = {
    val bytes = others.iterator.map(leaf => group.decodedBytes(leaf.path)).sum
    LateCost(filterColumns, others.size, bytes.toDouble / group.rows)
  }
}

/** The numbers of the rows of spans, which are asked for one after the other. */
private[parquet] final class RowNumbers(rows: RowRanges) {
  private var span = 0
  private var before = 0L

  /** Of the row that so many of the spans' stand before. */
  def of(place: Long): Long = {
    while (place - before >= rows.spans(span).size) {
      before += rows.spans(span).size
      span += 1
    }
    rows.spans(span).from + place - before
  }
}

/** Rows of a filter's columns that are kept, in vectors of the size of a batch. */
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
