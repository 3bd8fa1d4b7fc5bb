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
import org.apache.spark.sql.execution.datasources.{
  DataSourceUtils,
  PartitionedFile,
  SchemaColumnConvertNotSupportedException
}
import org.apache.spark.sql.execution.vectorized.{ColumnVectorUtils, ConstantColumnVector}
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
  private val bound =
    try new ColumnBinder(footer.getSchema, place, fileColumns, job, rebasing).bind(job.columns)
    catch {
      case e: ShreddedVariantException => reader.close(); throw Errors.inFile(name, None, e)
      case NonFatal(e) => reader.close(); throw e
    }
  private val partitions = partitionColumns
  private val places = new LeafChunks(footer.getSchema)
  private val groups =
    reader.getRowGroups.asScala.toIndexedSeq.zipWithIndex.map { case (block, i) => rowGroup(block, i) }
  private val skipping = job.predicate.map { predicate =>
    new Skipping(predicate, new PredicateBinder(footer.getSchema, job, rebasing), reader, writer)
  }
  private val source = new GroupSource(reader, skipping, counts)
  private var batch: ColumnarBatch = _
  private var active = Seq.empty[Leaf]
  private var group = -1
  private var hasRead = false
  private var cursor: RowCursor = _
  private var rowsLeft = 0L

  override def next(): Boolean = {
    while (rowsLeft == 0)
      if (!nextGroup()) return false
    val rows = math.min(job.batchSize.toLong, rowsLeft).toInt
    cursor.next(rows, place)
    active.foreach(read(_, rows))
    bound.assembled.foreach(_.assemble(rows))
    rowsLeft -= rows
    batch = new ColumnarBatch(bound.columns.map(_.vector) ++ partitions, rows)
    true
  }

  override def get(): ColumnarBatch = batch

  override def close(): Unit = {
    bound.vectors.close()
    reader.close()
  }

  private def nextGroup(): Boolean = {
    group += 1
    val more = group < groups.size
    if (more && groups(group).rows > 0) open(groups(group))
    if (group == groups.size && !hasRead) countFile()
    more
  }

  /** Starts the columns that somebody needs in this row group; the others are null there and are not read. */
  private def open(facts: RowGroup): Unit = {
    val (needed, idle) = bound.leaves.partition(_.isNeededIn(facts))
    val rows = source.rows(facts, needed)
    rowsLeft = rows.size
    if (rowsLeft > 0) {
      if (!hasRead) { hasRead = true; countFile() }
      cursor = new RowCursor(facts.firstRow, rows)
      idle.foreach(_.skip())
      if (needed.nonEmpty) {
        val pages =
          try source.read(facts, needed, rows)
          catch { case NonFatal(e) => throw Errors.damagedPages(name, s"row group $group", e) }
        needed.foreach { leaf =>
          try leaf.open(pages, writer)
          catch { case NonFatal(e) => throw Errors.damagedPages(name, leaf.path.mkString("."), e) }
        }
      }
      active = needed
      bound.assembled.foreach(_.open(facts))
    }
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

  private def read(leaf: Leaf, rows: Int): Unit =
    try leaf.read(rows)
    catch {
      case e: SchemaColumnConvertNotSupportedException =>
        throw Errors.inFile(
          name,
          None,
          Errors.columnType(leaf.path.mkString("."), e.getPhysicalType, e.getLogicalType)
        )
      case NonFatal(e) => throw Errors.damagedPages(name, leaf.path.mkString("."), e)
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
