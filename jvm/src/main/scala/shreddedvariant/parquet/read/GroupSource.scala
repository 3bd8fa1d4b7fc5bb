/**
 * Reads the pages of the requested leaves and matching rows of row groups, and counts what is read and skipped.
 */
package shreddedvariant.parquet.read

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ColumnPath
import shreddedvariant.parquet.file.{PageLocations, RowGroup}
import shreddedvariant.parquet.page.{BufferedPages, PageCodecs}
import shreddedvariant.parquet.skip.{Skipping, TopNRowGroupFilter}
import shreddedvariant.parquet.vector.LeafColumnReader
import shreddedvariant.stats.RowRanges

final class GroupSource(
    reader: ParquetFileReader,
    codecs: PageCodecs,
    skipping: Option[Skipping],
    ranking: Option[TopNRowGroupFilter],
    counts: ReadCounts
) {

  /**
   * The rows of a row group that have to be read, at most `limit`; all rows if a leaf has no offset index.
   */
  def rows(group: RowGroup, leaves: Seq[LeafColumnReader], limit: Long = Long.MaxValue): RowRanges = {
    val matching = matchingRows(group).take(limit)
    val rows =
      if (matching.isEmpty || leaves.forall(l => group.hasOffsets(l.path))) matching
      else RowRanges.first(group.rows)
    counts.add(if (rows.isEmpty) ReadCount.RowGroupsSkipped else ReadCount.RowGroupsRead, 1)
    counts.add(ReadCount.RowsSkipped, group.rows - rows.size)
    if (rows.isEmpty) countWhole(group, leaves, ReadCount.PagesSkipped, ReadCount.BytesSkipped)
    rows
  }

  private def matchingRows(group: RowGroup): RowRanges = {
    val matching = skipping.fold(RowRanges.first(group.rows))(_.rows(group))
    ranking.fold(matching)(_.rows(group).intersect(matching))
  }

  /**
   * Counts rows that the filter dropped, and, if no row is left, the pages and bytes of `leaves` that are not
   * read.
   */
  def countSurvivors(
      group: RowGroup,
      leaves: Seq[LeafColumnReader],
      dropped: Long,
      isEmpty: Boolean
  ): Unit = {
    counts.add(ReadCount.RowsSkipped, dropped)
    if (isEmpty) countWhole(group, leaves, ReadCount.PagesSkipped, ReadCount.BytesSkipped)
  }

  /**
   * Loads the indexes of all `leaves`: parquet-java keeps only the indexes of the leaves of the first request.
   */
  def prepare(group: RowGroup, leaves: Seq[LeafColumnReader]): Unit = {
    reader.setRequestedSchema(leaves.map(_.descriptor).distinct.asJava)
    reader.getColumnIndexStore(group.number)
    ()
  }

  /** The pages of the leaves that contain the given rows. */
  def read(group: RowGroup, leaves: Seq[LeafColumnReader], rows: RowRanges): GroupPages = {
    reader.setRequestedSchema(leaves.map(_.descriptor).asJava)
    if (rows.size == group.rows) {
      countWhole(group, leaves, ReadCount.PagesRead, ReadCount.BytesRead)
      val pages = reader.readRowGroup(group.number)
      new GroupPages(pages) {
        override def apply(leaf: LeafColumnReader): PageReadStore =
          if (RowPages.takes(group, leaf))
            new PlainPages(buffered(leaf, pages, inParts = false), leaf.buffer, leaf.plain)
          else new CheckedDifferences(pages)
      }
    } else {
      countPages(group, leaves, rows)
      val pages = reader.readFilteredRowGroup(group.number, RowSelection.ranges(rows, group.rows))
      new GroupPages(pages) {
        override def apply(leaf: LeafColumnReader): PageReadStore =
          if (RowPages.cuts(group, leaf))
            new RowPages(buffered(leaf, pages, inParts = true), rows, leaf.buffer)
          else new CheckedDifferences(pages)
      }
    }
  }

  private def buffered(leaf: LeafColumnReader, pages: PageReadStore, inParts: Boolean) =
    new BufferedPages(pages, codecs, leaf.buffer, inParts)

  private def countWhole(
      group: RowGroup,
      leaves: Seq[LeafColumnReader],
      pages: ReadCount,
      bytes: ReadCount
  ): Unit = {
    counts.add(pages, leaves.map(l => group.pages(l.path)).sum)
    counts.add(bytes, leaves.map(l => group.bytes(l.path)).sum)
  }

  private def countPages(group: RowGroup, leaves: Seq[LeafColumnReader], rows: RowRanges): Unit = {
    val offsets = reader.getColumnIndexStore(group.number)
    for (leaf <- leaves) {
      val pages = offsets.getOffsetIndex(ColumnPath.get(leaf.path: _*))
      group.chunk(leaf.path).foreach(PageLocations.check(_, pages, group.rows))
      val cost = RowSelection.cost(rows, pages, group.rows)
      counts.add(ReadCount.PagesRead, cost.pagesRead)
      counts.add(ReadCount.PagesSkipped, cost.pagesSkipped)
      // The rest of the chunk is the dictionary, which every page needs.
      val dictionary = math.max(0, group.bytes(leaf.path) - cost.bytesRead - cost.bytesSkipped)
      counts.add(ReadCount.BytesRead, cost.bytesRead + (if (cost.pagesRead > 0) dictionary else 0))
      counts.add(ReadCount.BytesSkipped, cost.bytesSkipped + (if (cost.pagesRead > 0) 0 else dictionary))
    }
  }
}

/** The pages that were read of a row group. Close them after everything is decoded. */
abstract class GroupPages(pages: PageReadStore) extends AutoCloseable {
  def apply(leaf: LeafColumnReader): PageReadStore
  override def close(): Unit = pages.close()
}
