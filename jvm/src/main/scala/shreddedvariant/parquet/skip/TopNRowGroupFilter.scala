/**
 * Finds the rows of a file's row groups that may be in the top N of the query, from footers and column indexes.
 *
 * All row groups of the file are noted from the start, and `first` keeps the row groups of earlier files of the
 * task. If the pages of a row group are read, they replace the row group.
 */
package shreddedvariant.parquet.skip

import org.apache.parquet.hadoop.ParquetFileReader
import shreddedvariant.parquet.file.{LeafPages, RowGroup, StatisticsReader}
import shreddedvariant.stats._

/** `groups` are all row groups of the file, including those of other splits. */
private[parquet] final class TopNRowGroupFilter(
    first: FirstRows,
    column: Column,
    file: String,
    groups: Seq[RowGroup],
    tallies: FooterAggregates,
    leafFacts: StatisticsReader,
    reader: ParquetFileReader
) {
  private val pages = new LeafPages(reader, leafFacts)
  private val parts = tallies.parts(column)

  for (group <- groups) first.note(name(group), Seq(ranked(group)))

  def rows(group: RowGroup): RowRanges =
    if (!first.mayHold(ranked(group))) RowRanges.none
    else
      pagesOf(group).fold(RowRanges.first(group.rows)) { pages =>
        first.note(name(group), pages.map(_._2))
        RowRanges.of(pages.iterator.collect { case (span, rows) if first.mayHold(rows) => span }.toSeq)
      }

  private def name(group: RowGroup) = (file, group.block.getStartingPos)

  private def ranked(group: RowGroup): RankedRows = {
    val values = tallies.of(column, group).fold(0L)(_.values)
    val possible = parts.map(_.map(part => part.possible(facts(group, part))))
    RankedRows(group.rows, values, possible.getOrElse(Seq(ValueDomain.anything)))
  }

  private def facts(group: RowGroup, part: ValueSource): LeafStatistics =
    part.leaf.flatMap(group.chunk).fold(LeafStatistics.unknown(group.rows))(leafFacts.ofChunk)

  /** The pages of the leaf that gives all values of the row group; None if several leaves do. */
  private def pagesOf(group: RowGroup): Option[IndexedSeq[(RowRange, RankedRows)]] =
    parts.map(_.filter(part => part.possible(facts(group, part)) != ValueDomain.nothing)) match {
      case Some(Seq(part)) =>
        part.leaf.flatMap(pages.of(group, _)).map(_.map { case (span, facts) =>
          val values = part.tally(facts).fold(0L)(_.values)
          (span, RankedRows(span.size, values, Seq(part.possible(facts))))
        })
      case _ => None
    }
}
