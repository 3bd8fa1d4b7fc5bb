/** One open split of a file: its row groups, the filters for them, and the readers of its columns. */
package shreddedvariant.parquet.read

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.VersionParser
import org.apache.parquet.VersionParser.ParsedVersion
import org.apache.parquet.hadoop.metadata.{BlockMetaData, FileMetaData}
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.execution.datasources.{DataSourceUtils, PartitionedFile}
import org.apache.spark.sql.types.StructType
import shreddedvariant.layout.DraftLayout
import shreddedvariant.parquet.bind.{ColumnBinder, FileColumns, FileVariants, PredicateBinder, ReadJob}
import shreddedvariant.parquet.file.{FileMaps, LeafChunks, OpenFile, RowGroup, StatisticsReader}
import shreddedvariant.parquet.skip.{FooterAggregates, Skipping, TopNRowGroupFilter}
import shreddedvariant.parquet.vector.{BatchPosition, Rebasing}
import shreddedvariant.stats.FirstRows

final class FileSplit(
    split: PartitionedFile,
    job: ReadJob,
    conf: Configuration,
    counts: ReadCounts,
    first: Option[FirstRows] = None
) {
  val name: String = split.toPath.toString
  private val open = counts.timed(ReadCount.FooterTime)(OpenFile.split(split, conf, job.id))
  private val reader = open.reader
  private val footer = reader.getFileMetaData
  private val position = new BatchPosition(name)
  private val fileColumns = new FileColumns(split, position, job.batchSize)
  private val leafChunks = new LeafChunks(footer.getSchema)
  private val writer: ParsedVersion = FileSplit.writerVersion(footer)
  val groups: IndexedSeq[RowGroup] =
    reader.getRowGroups.asScala.toIndexedSeq.zipWithIndex.map { case (block, i) => rowGroup(block, i) }
  private val skipping =
    job.predicate.map(predicate => new Skipping(predicate.at(split.partitionValues), binder, reader, writer))
  // Created on first use, when all fields of this object are initialised.
  private lazy val ranking =
    for (top <- job.top; first <- first)
      yield new TopNRowGroupFilter(
        first,
        top.column,
        name,
        allGroups,
        tallies,
        new StatisticsReader(writer),
        reader
      )
  lazy val source = new GroupSource(reader, open.codecs, skipping, ranking, counts)

  private def schema: MessageType = footer.getSchema

  def tallies: FooterAggregates = new FooterAggregates(schema, binder, writer)

  private lazy val hotKeys =
    new FileMaps(schema, footer.getKeyValueMetaData.asScala.toMap, job.hotKeys, job.sameName)

  private lazy val variants = new FileVariants(schema, job, keepsToShape)

  private def binder: PredicateBinder =
    new PredicateBinder(schema, variants, position, hotKeys, job, rebasing)

  def columns(requested: StructType): GroupReader = {
    val bound =
      try
        position.named {
          new ColumnBinder(schema, variants, position, fileColumns, hotKeys, job, rebasing).bind(requested)
        }
      catch { case NonFatal(e) => reader.close(); throw e }
    new GroupReader(bound, source, position, writer)
  }

  /** The first split of a file counts the file, by the footer of all its row groups. */
  def countFile(hasRead: Boolean): Unit = if (split.start == 0) {
    val isWhole = split.length >= split.fileSize
    if (hasRead || !isWhole && othersMayMatch) counts.add(ReadCount.FilesRead, 1)
    else if (groups.nonEmpty || !isWhole) counts.add(ReadCount.FilesSkipped, 1)
  }

  def close(): Unit = reader.close()

  /** All row groups of the file, including those of other splits. */
  private def allGroups: Seq[RowGroup] = open.all.map(rowGroup(_, -1))

  private def othersMayMatch: Boolean = skipping.forall { judge =>
    allGroups.exists(group => group.rows > 0 && judge.mayMatch(group))
  }

  private def rowGroup(block: BlockMetaData, number: Int) = new RowGroup(block, number, leafChunks)

  private def isParquetMr = Option(footer.getCreatedBy).exists(_.startsWith("parquet-mr"))

  /**
   * Whether the footer declares that shredded fields are only in their own cells. Other libraries copy footer
   * keys to files with other rows, so only parquet-mr's files with the declared number of rows are believed.
   */
  private def keepsToShape: Boolean = {
    def rows = open.all.iterator.map(_.getRowCount).sum
    isParquetMr &&
    Option(footer.getKeyValueMetaData.get(DraftLayout.FooterKey)).exists(_ == DraftLayout.keepsToShape(rows))
  }

  private lazy val rebasing: Rebasing = {
    val keys = footer.getKeyValueMetaData
    val datetime = DataSourceUtils.datetimeRebaseSpec(keys.get, job.rebasing.datetime)
    val int96 = DataSourceUtils.int96RebaseSpec(keys.get, job.rebasing.int96)
    val convertInt96 = job.rebasing.convertInt96 && !isParquetMr
    Rebasing(
      datetime.mode.toString,
      datetime.timeZone,
      int96.mode.toString,
      int96.timeZone,
      Option.when(convertInt96)(DateTimeUtils.getZoneId(job.rebasing.sessionZone))
    )
  }
}

object FileSplit {

  /** Null if unknown. Spark's decoder needs the version to read pages that old writers encoded wrongly. */
  private[parquet] def writerVersion(footer: FileMetaData): ParsedVersion =
    try VersionParser.parse(footer.getCreatedBy)
    catch { case NonFatal(_) => null }
}
