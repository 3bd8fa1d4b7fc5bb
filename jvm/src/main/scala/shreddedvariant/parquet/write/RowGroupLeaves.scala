/** The leaves of a file, and the pages of the current row group. */
package shreddedvariant.parquet.write

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.{ColumnDescriptor, ParquetProperties}
import org.apache.parquet.hadoop.ColumnChunkPageWriteStore
import org.apache.parquet.schema.MessageType
import shreddedvariant.parquet.page.PageCompression
import shreddedvariant.shred.LeafWriter

/**
 * `filtered` are leaves that get bloom filters, in addition to those in the settings. The leaves
 * `withDifferences` may use the DELTA encodings.
 */
private[parquet] final class RowGroupLeaves(
    schema: MessageType,
    properties: ParquetProperties,
    filtered: Set[Seq[String]],
    withDifferences: Set[Seq[String]]
) {
  private val columns: Array[ColumnDescriptor] = schema.getColumns.asScala.toArray
  private val (parquetColumns, pagedColumns) =
    columns.partition(c => filtered(c.getPath.toSeq) || !PagedLeaf.takes(c, properties))
  private val row = new RowNumber
  private val paged = pagedColumns.map { c =>
    new PagedLeaf(c, properties, row, () => isUrgent = true, withDifferences(c.getPath.toSeq))
  }

  // Settings identify columns by names joined with dots, which is ambiguous if a name has a dot. So columns
  // with bloom filters have separate settings. The number of values is unknown, and a fixed filter takes 1 MiB.
  // So an adaptive filter fills several filters, each half as large as the previous one, and keeps one of them.
  private val filterSettings = {
    val builder = ParquetProperties.copy(properties)
      .withBloomFilterEnabled(true).withAdaptiveBloomFilterEnabled(true)
    for (leaf <- filtered)
      builder.withBloomFilterCandidatesNumber(leaf.mkString("."), RowGroupLeaves.FilterSizes)
    builder.build()
  }
  private val borrowed = {
    val (withFilter, plain) = parquetColumns.toSeq.partition(c => filtered(c.getPath.toSeq))
    Seq(new BorrowedLeaves(schema, plain, properties), new BorrowedLeaves(schema, withFilter, filterSettings))
  }

  /** The leaves in the order of the file, the same for all row groups. */
  val all: Array[LeafWriter] = {
    val byColumn =
      (paged.map(l => l.column -> (l: LeafWriter)) ++ borrowed.flatMap(_.all).map(l => l.column -> l)).toMap
    columns.map(byColumn)
  }
  private var nextCheck = 0L

  /** Whether sizes must be checked before the next row, because of a large value. */
  var isUrgent = false

  def start(pages: ColumnChunkPageWriteStore, compression: PageCompression): Unit = {
    paged.foreach(leaf => leaf.start(pages.getPageWriter(leaf.column), compression))
    borrowed.foreach(_.start(pages))
    row.number = 0
    isUrgent = false
    nextCheck = math.min(properties.getMinRowCountForPageSizeCheck, properties.getPageRowCountLimit).toLong
  }

  def endRow(): Unit = {
    borrowed.foreach(_.endRow())
    row.number += 1
    if (row.number >= nextCheck || isUrgent) checkPages()
  }

  /** Ends the pages that are full, and plans the next check about halfway to the next full page. */
  private def checkPages(): Unit = {
    val threshold = properties.getPageSizeThreshold.toLong
    val maxEntries = properties.getPageValueCountThreshold.toLong
    var untilFull = properties.getMaxRowCountForPageSizeCheck.toLong * 2
    var untilLimit = properties.getPageRowCountLimit.toLong
    for (leaf <- paged) {
      val pageRows = leaf.pageRows
      val bytes = leaf.pageBytes
      val entries = leaf.pageEntries.toLong
      val isFull = threshold - bytes <= threshold / 10 || pageRows >= properties.getPageRowCountLimit ||
        entries >= maxEntries
      if (isFull) leaf.endPage()
      else untilLimit = math.min(untilLimit, properties.getPageRowCountLimit - pageRows)
      // Later rows are assumed to be as large as the rows of this page, whether it ends here or not.
      val keptRows = if (isFull) 0 else pageRows
      untilFull = math.min(untilFull, rowsOf(threshold, pageRows, bytes) - keptRows)
      untilFull = math.min(untilFull, rowsOf(maxEntries, pageRows, entries) - keptRows)
    }
    val maxWait =
      if (properties.estimateNextSizeCheck) properties.getMaxRowCountForPageSizeCheck
      else properties.getMinRowCountForPageSizeCheck
    val wait =
      math.max(properties.getMinRowCountForPageSizeCheck.toLong, math.min(untilFull / 2, maxWait.toLong))
    nextCheck = row.number + math.min(wait, untilLimit)
  }

  /** The number of rows that take `limit`, if `rows` rows take `used`. */
  private def rowsOf(limit: Long, rows: Long, used: Long): Long =
    if (used == 0) Long.MaxValue else (limit.toDouble / used * rows).toLong

  def bufferedBytes: Long =
    borrowed.iterator.map(_.bufferedBytes).sum + paged.iterator.map(_.bufferedBytes).sum

  /** Ends the pages of all leaves. */
  def end(): Unit = {
    borrowed.foreach(_.end())
    paged.foreach(_.end())
  }
}

private[parquet] object RowGroupLeaves {
  val FilterSizes = 12
}
