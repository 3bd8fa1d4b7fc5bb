/** Reads one split of a file as batches of columns. */
package shreddedvariant.parquet

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.VersionParser
import org.apache.parquet.VersionParser.ParsedVersion
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.{BlockMetaData, FileMetaData}
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.datasources.{DataSourceUtils, PartitionedFile}
import org.apache.spark.sql.execution.vectorized.{ColumnVectorUtils, ConstantColumnVector}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import shreddedvariant.{Errors, ShreddedVariantException}

final class BatchReader(
    split: PartitionedFile,
    job: ReadJob,
    conf: Configuration,
    counts: ReadCounts = new ReadCounts
) extends PartitionReader[ColumnarBatch] {
  private val name = split.toPath.toString
  private val reader = OpenFile(split.toPath, conf, Some((split.start, split.start + split.length)))
  private val footer = reader.getFileMetaData
  private val writer = BatchReader.writerVersion(footer)
  private val place = new FilePlace(name)
  private val fileColumns = new FileColumns(split, place, job.batchSize)
  private val partitions = partitionColumns
  private val places = new LeafChunks(footer.getSchema)
  private val groups =
    reader.getRowGroups.asScala.toIndexedSeq.zipWithIndex.map { case (block, i) => rowGroup(block, i) }
  private val skipping = job.predicate.map { predicate =>
    new Skipping(predicate, new PredicateBinder(footer.getSchema, job, rebasing), reader, writer)
  }
  private val source = new GroupSource(reader, skipping, counts)
  private val all = columns(job.columns)
  private var late: Option[LateReader] = None
  private var batch: ColumnarBatch = _
  private var group = -1
  private var hasRead = false
  private var isLate = false
  private var rowsLeft = 0L

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
    reader.close()
  }

  private def nextGroup(): Boolean = {
    group += 1
    val more = group < groups.size
    if (more && groups(group).rows > 0) open(groups(group))
    if (group == groups.size && !hasRead) countFile()
    more
  }

  private def open(group: RowGroup): Unit = {
    val rows = source.rows(group, all.needed(group))
    if (!rows.isEmpty && !hasRead) { hasRead = true; countFile() }
    if (!rows.isEmpty && late.isEmpty && LateReader.mayPay(group, all.needed(group))) late = lateReader
    val surviving = if (rows.isEmpty) None else late.flatMap(_.surviving(group, rows))
    isLate = surviving.isDefined
    rowsLeft = surviving.getOrElse(rows).size
    if (!isLate && !rows.isEmpty) all.open(group, rows)
  }

  /** None where the query has no filter, or all that it reads is in the filter. */
  private def lateReader: Option[LateReader] =
    for {
      filter <- job.filter
      others = StructType(job.columns.filterNot(c => filter.columns.fieldNames.contains(c.name)))
      if others.nonEmpty
    } yield new LateReader(filter, job.columns, columns(filter.columns), columns(others), source, job)

  private def columns(asked: StructType): GroupReader = {
    val bound =
      try new ColumnBinder(footer.getSchema, place, fileColumns, job, rebasing).bind(asked)
      catch {
        case e: ShreddedVariantException => reader.close(); throw Errors.inFile(name, None, e)
        case NonFatal(e) => reader.close(); throw e
      }
    new GroupReader(bound, source, place, writer)
  }

  /** A file that comes in several splits is counted with its first one, by what the footer says of all row groups. */
  private def countFile(): Unit = if (split.start == 0) {
    val isWhole = split.length >= split.fileSize
    if (hasRead || !isWhole && othersMayMatch) counts.add(ReadCount.FilesRead, 1)
    else if (groups.nonEmpty || !isWhole) counts.add(ReadCount.FilesSkipped, 1)
  }

  private def othersMayMatch: Boolean = skipping.forall { judge =>
    val all = OpenFile(split.toPath, conf, None)
    try all.getRowGroups.asScala.exists(block => block.getRowCount > 0 && judge.mayMatch(rowGroup(block, -1)))
    finally all.close()
  }

  private def rowGroup(block: BlockMetaData, number: Int) = new RowGroup(block, number, places)

  private def partitionColumns: Array[ColumnVector] =
    job.partitions.fields.zipWithIndex.map { case (field, i) =>
      val vector = new ConstantColumnVector(job.batchSize, field.dataType)
      ColumnVectorUtils.populate(vector, split.partitionValues, i)
      vector
    }

  private def rebasing: Rebasing = {
    val keys = footer.getKeyValueMetaData
    val datetime = DataSourceUtils.datetimeRebaseSpec(keys.get, job.rebasing.datetime)
    val int96 = DataSourceUtils.int96RebaseSpec(keys.get, job.rebasing.int96)
    val foreign = !Option(footer.getCreatedBy).exists(_.startsWith("parquet-mr"))
    val convertInt96 = job.rebasing.convertInt96 && foreign
    Rebasing(
      datetime.mode.toString,
      datetime.timeZone,
      int96.mode.toString,
      int96.timeZone,
      Option.when(convertInt96)(DateTimeUtils.getZoneId(job.rebasing.sessionZone))
    )
  }
}

object BatchReader {

  /** Old writers encoded some pages wrongly, and Spark's decoder mends that by the writer's version. */
  private def writerVersion(footer: FileMetaData): ParsedVersion =
    try VersionParser.parse(footer.getCreatedBy)
    catch { case NonFatal(_) => null }
}

/** Opens a Parquet file; whatever is not one is refused in one sentence. */
object OpenFile {
  import java.io.FileNotFoundException

  def apply(path: Path, conf: Configuration, range: Option[(Long, Long)]): ParquetFileReader =
    try {
      val options = HadoopReadOptions.builder(conf, path)
      range.foreach { case (start, end) => options.withRange(start, end) }
      ParquetFileReader.open(HadoopInputFile.fromPath(path, conf), options.build())
    } catch {
      case e: FileNotFoundException => throw e
      case e: StackOverflowError =>
        throw Errors.notParquet(path.toString, new RuntimeException("its schema is too deep", e))
      case NonFatal(e) => throw Errors.notParquet(path.toString, e)
    }
}
