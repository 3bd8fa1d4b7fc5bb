/** Reads one split of a file as batches of columns. */
package shreddedvariant.parquet

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.vectorized.{ColumnVectorUtils, ConstantColumnVector}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import shreddedvariant.stats.FirstRows

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
  private var allowed = job.limit.getOrElse(Long.MaxValue)

  override def next(): Boolean = {
    while (rowsLeft == 0)
      if (!nextGroup()) return false
    val rows = math.min(job.batchSize.toLong, rowsLeft).toInt
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
    if (!rows.isEmpty && late.isEmpty && LateReader.mayPay(group, all.needed(group))) late = lateReader
    val surviving = if (rows.isEmpty) None else late.flatMap(_.surviving(group, rows))
    isLate = surviving.isDefined
    rowsLeft = surviving.getOrElse(rows).size
    allowed -= rowsLeft
    if (!isLate && !rows.isEmpty) all.open(group, rows)
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
