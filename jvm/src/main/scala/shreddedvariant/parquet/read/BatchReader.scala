/** Reads one split of a file as batches of columns. */
package shreddedvariant.parquet.read

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.vectorized.{ColumnVectorUtils, ConstantColumnVector}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import shreddedvariant.parquet.bind.ReadJob
import shreddedvariant.parquet.file.RowGroup
import shreddedvariant.parquet.vector.LeafColumnReader
import shreddedvariant.stats.{FirstRows, RowRanges}

final class BatchReader(
    split: PartitionedFile,
    job: ReadJob,
    conf: Configuration,
    counts: ReadCounts = new ReadCounts,
    first: Option[FirstRows] = None
) extends PartitionReader[ColumnarBatch] {
  private val file = new FileSplit(split, job, conf, counts, first)
  private val source = file.source
  private val partitions = partitionColumns
  private val all = file.columns(job.columns)
  private var late: Option[LateReader] = None
  private var batch: ColumnarBatch = _
  private var group = -1
  private var hasRead = false
  private var isLate = false
  private var rowsLeft = 0L
  private var batchRows = job.batchSize
  private var remainingLimit = job.limit.getOrElse(Long.MaxValue)

  override def next(): Boolean = {
    while (rowsLeft == 0)
      if (!nextGroup()) return false
    val rows = math.min((if (isLate) job.batchSize else batchRows).toLong, rowsLeft).toInt
    val vectors = if (isLate) late.get.read(rows) else { all.read(rows); all.vectors }
    rowsLeft -= rows
    batch = new ColumnarBatch(vectors ++ partitions, rows)
    true
  }

  override def get(): ColumnarBatch = batch

  override def close(): Unit = {
    all.close()
    late.foreach(_.close())
    file.close()
  }

  private def nextGroup(): Boolean = {
    group += 1
    val more = group < file.groups.size
    if (more && file.groups(group).rows > 0) open(file.groups(group))
    if (group == file.groups.size && !hasRead) file.countFile(hasRead)
    more
  }

  private def open(group: RowGroup): Unit = {
    val rows = source.rows(group, all.needed(group), remainingLimit)
    if (!rows.isEmpty && !hasRead) { hasRead = true; file.countFile(hasRead) }
    val survivors = if (rows.isEmpty) None else surviving(group, rows)
    isLate = survivors.isDefined
    rowsLeft = survivors.getOrElse(rows).size
    remainingLimit -= rowsLeft
    if (!isLate && !rows.isEmpty) {
      all.open(group, rows)
      batchRows = BatchReader.rows(group, all.needed(group), job.batchSize)
    }
  }

  /**
   * The rows that pass the filter; None without late materialisation. Its reader is created on the first
   * attempt.
   */
  private def surviving(group: RowGroup, rows: RowRanges): Option[RowRanges] = {
    val leaves = all.needed(group)
    if (!LateReader.mayPay(group, leaves, leaves) || !job.filter.exists(_.attempts.next())) None
    else {
      if (late.isEmpty) late = lateReader
      late.flatMap(_.surviving(group, rows))
    }
  }

  /** None if the query has no filter, or reads only columns of the filter. */
  private def lateReader: Option[LateReader] =
    for {
      filter <- job.filter
      others = StructType(job.columns.filterNot(c => filter.columns.fieldNames.contains(c.name)))
      if others.nonEmpty
    } yield new LateReader(
      filter,
      job.columns,
      file.columns(filter.columns),
      file.columns(others),
      source,
      job
    )

  private def partitionColumns: Array[ColumnVector] =
    job.partitions.fields.zipWithIndex.map { case (field, i) =>
      val vector = new ConstantColumnVector(job.batchSize, field.dataType)
      ColumnVectorUtils.populate(vector, split.partitionValues, i)
      vector
    }
}

private[parquet] object BatchReader {

  /**
   * Maximal entries of a batch, for long lists and maps and for many leaves. More do not fit into the CPU
   * caches.
   */
  private val MaxEntries = 1L << 16

  /** The rows of a batch: fewer than `batchSize` if rows have many entries. */
  def rows(group: RowGroup, leaves: Seq[LeafColumnReader], batchSize: Int): Int = {
    val entries = leaves.map(leaf => group.chunk(leaf.path).fold(0L)(_.getValueCount))
    def rowsOf(entries: Long) = if (entries == 0) batchSize.toLong else MaxEntries * group.rows / entries
    val byLargestLeaf = math.max(1L, rowsOf(entries.maxOption.getOrElse(0L)))
    val byAllLeaves = math.max(MinRows, rowsOf(entries.sum))
    Seq(byLargestLeaf, byAllLeaves, batchSize.toLong).min.toInt
  }

  /** A lower bound for any number of leaves, because each batch has a fixed cost. */
  private val MinRows = 512L
}
