/** The leaves of the file, and the pages of the row group that is being written. */
package shreddedvariant.parquet.write

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.{ColumnDescriptor, ParquetProperties}
import org.apache.parquet.hadoop.ColumnChunkPageWriteStore
import org.apache.parquet.schema.MessageType
import shreddedvariant.parquet.page.PageCompression
import shreddedvariant.shred.LeafWriter

/**
 * `filtered` are the leaves that get bloom filters, beside those that the settings name; those `withDifferences` may be
 * encoded so.
 */
private[parquet] final class RowGroupLeaves(
    schema: MessageType,
    properties: ParquetProperties,
    filtered: Set[Seq[String]],
    withDifferences: Set[Seq[String]]
) {
  private val columns: Array[ColumnDescriptor] = schema.getColumns.asScala.toArray
  private val (ofParquet, ofOurs) =
    columns.partition(c => filtered(c.getPath.toSeq) || !PagedLeaf.takes(c, properties))
  private val row = new RowNumber
  private val paged = ofOurs.map { c =>
    new PagedLeaf(c, properties, row, () => isUrgent = true, withDifferences(c.getPath.toSeq))
  }

  // Settings name columns by names joined with dots, which a name may hold too: so these columns have settings of their
  // own. Nobody knows how many values there will be, and a filter takes a mebibyte unless it adapts to them: it is one of
  // several that are filled, each half as large as the one before.
  private val withFilters = {
    val builder = ParquetProperties.copy(properties)
      .withBloomFilterEnabled(true).withAdaptiveBloomFilterEnabled(true)
    for (leaf <- filtered)
      builder.withBloomFilterCandidatesNumber(leaf.mkString("."), RowGroupLeaves.FilterSizes)
    builder.build()
  }
  private val borrowed = {
    val (some, others) = ofParquet.toSeq.partition(c => filtered(c.getPath.toSeq))
    Seq(new BorrowedLeaves(schema, others, properties), new BorrowedLeaves(schema, some, withFilters))
  }

  /** The leaves in the order of the file, the same ones for all row groups. */
  val all: Array[LeafWriter] = {
    val byColumn =
      (paged.map(l => l.column -> (l: LeafWriter)) ++ borrowed.flatMap(_.all).map(l => l.column -> l)).toMap
    columns.map(byColumn)
  }
  private var nextCheck = 0L

  /** Whether the last row had a value so large that sizes should be looked at before the next one. */
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

  /** Ends the pages that are full, and says when to look again: about halfway to where the next one will be. */
  private def checkPages(): Unit = {
    val threshold = properties.getPageSizeThreshold.toLong
    val mostEntries = properties.getPageValueCountThreshold.toLong
    var untilFull = properties.getMaxRowCountForPageSizeCheck.toLong * 2
    var untilLimit = properties.getPageRowCountLimit.toLong
    for (leaf <- paged) {
      val inPage = leaf.pageRows
      val bytes = leaf.pageBytes
      val entries = leaf.pageEntries.toLong
      val isFull = threshold - bytes <= threshold / 10 || inPage >= properties.getPageRowCountLimit ||
        entries >= mostEntries
      if (isFull) leaf.endPage()
      else untilLimit = math.min(untilLimit, properties.getPageRowCountLimit - inPage)
      // The rows to come are taken to be as large as those of the page, whether it ends here or goes on.
      val begun = if (isFull) 0 else inPage
      untilFull = math.min(untilFull, rowsOf(threshold, inPage, bytes) - begun)
      untilFull = math.min(untilFull, rowsOf(mostEntries, inPage, entries) - begun)
    }
    val most =
      if (properties.estimateNextSizeCheck) properties.getMaxRowCountForPageSizeCheck
      else properties.getMinRowCountForPageSizeCheck
    val wait =
      math.max(properties.getMinRowCountForPageSizeCheck.toLong, math.min(untilFull / 2, most.toLong))
    nextCheck = row.number + math.min(wait, untilLimit)
  }

  /** How many rows take so much, where some rows took so much. */
  private def rowsOf(most: Long, rows: Long, taken: Long): Long =
    if (taken == 0) Long.MaxValue else (most.toDouble / taken * rows).toLong

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
