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
  private var allowed = job.limit.getOrElse(Long.MaxValue)

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
    val rows = source.rows(group, all.needed(group), allowed)
    if (!rows.isEmpty && !hasRead) { hasRead = true; file.countFile(hasRead) }
    val survivors = if (rows.isEmpty) None else surviving(group, rows)
    isLate = survivors.isDefined
    rowsLeft = survivors.getOrElse(rows).size
    allowed -= rowsLeft
    if (!isLate && !rows.isEmpty) {
      all.open(group, rows)
      batchRows = BatchReader.rows(group, all.needed(group), job.batchSize)
    }
  }

  /** The rows that pass the filter, where it is evaluated first: what that takes is not even made where it is not tried. */
  private def surviving(group: RowGroup, rows: RowRanges): Option[RowRanges] = {
    val leaves = all.needed(group)
    if (!LateReader.mayPay(group, leaves, leaves) || !job.filter.exists(_.attempts.next())) None
    else {
      if (late.isEmpty) late = lateReader
      late.flatMap(_.surviving(group, rows))
    }
  }

  /** None where the query has no filter, or all that it reads is in the filter. */
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

  /** Entries of a batch of long lists and maps, and of many leaves; more would leave the processor's caches. */
  private val MostEntries = 1L << 16

  /** The rows of a batch: fewer than usual where rows have many entries. */
  def rows(group: RowGroup, leaves: Seq[LeafColumnReader], usual: Int): Int = {
    val entries = leaves.map(leaf => group.chunk(leaf.path).fold(0L)(_.getValueCount))
    def rowsOf(entries: Long) = if (entries == 0) usual.toLong else MostEntries * group.rows / entries
    val ofLargest = math.max(1L, rowsOf(entries.maxOption.getOrElse(0L)))
    val ofAll = math.max(FewestRows, rowsOf(entries.sum))
    Seq(ofLargest, ofAll, usual.toLong).min.toInt
  }

  /** However many leaves there are: what a batch costs is shared by its rows. */
  private val FewestRows = 512L
}
