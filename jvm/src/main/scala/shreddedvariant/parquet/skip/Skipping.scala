/** Finds the rows of a row group for which a predicate may be true, without decoding data pages. */
package shreddedvariant.parquet.skip

import scala.collection.mutable
import org.apache.parquet.VersionParser.ParsedVersion
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.schema.MessageType
import shreddedvariant.parquet.bind.PredicateBinder
import shreddedvariant.parquet.file.{LeafPages, RowGroup, StatisticsReader}
import shreddedvariant.stats._

/**
 * Uses, in order of cost, the statistics of the footer, then the dictionaries and bloom filters of leaves that
 * the statistics do not decide, then the column indexes.
 */
final class Skipping(
    predicate: Predicate,
    binder: PredicateBinder,
    reader: ParquetFileReader,
    writer: ParsedVersion
) {
  private val judgement = new Judgement
  private val statistics = new StatisticsReader(writer)
  private val leafPages = new LeafPages(reader, statistics)
  private val chunkValues = new ChunkValues(reader)
  private val schema: MessageType = reader.getFileMetaData.getSchema
  private val boundParts = mutable.Map.empty[Column, Seq[ValueSource]]

  /** Uses only the footer. */
  def mayMatch(group: RowGroup): Boolean = judgement.rows(predicate) { (column, test, truth) =>
    mayBe(group, column, test, truth)(facts(group, _))
  }

  def rows(group: RowGroup): RowRanges =
    if (!mayMatch(group) || !mayMatchByValues(group)) RowRanges.none
    else {
      val pages = new IndexedPages(group)
      judgement.rows(predicate)(pages.rows)(RowRanges.algebra(group.rows))
    }

  private def parts(column: Column) = boundParts.getOrElseUpdate(column, binder.parts(column))

  private def mayBe(group: RowGroup, column: Column, test: ColumnPredicate, truth: Boolean)(
      factsOf: Seq[String] => LeafStatistics
  ): Boolean =
    parts(column).exists { part =>
      judgement.mayBe(test, truth, part.possible(part.leaf.fold(LeafStatistics.unknown(group.rows))(factsOf)))
    }

  private def facts(group: RowGroup, leaf: Seq[String]): LeafStatistics =
    group.chunk(leaf).fold(LeafStatistics.unknown(group.rows))(statistics.ofChunk)

  // ---- dictionaries and bloom filters ----

  private def mayMatchByValues(group: RowGroup): Boolean = {
    val cached = mutable.Map.empty[Seq[String], LeafStatistics]
    def values(leaf: Seq[String]) = cached.getOrElseUpdate(leaf, withValues(group, leaf))
    judgement.rows(predicate) { (column, test, truth) =>
      def byFooter(result: Boolean) = mayBe(group, column, test, result)(facts(group, _))
      // If the test has the same result for all rows, dictionaries and bloom filters are not read.
      byFooter(truth) && (!byFooter(!truth) || mayBe(group, column, test, truth)(values))
    }
  }

  private def withValues(group: RowGroup, leaf: Seq[String]): LeafStatistics = {
    val byFooter = facts(group, leaf)
    val isTested = boundParts.valuesIterator.exists(_.exists {
      case typed: ValueSource.Typed => typed.column == leaf
      case keyed: ValueSource.Keyed => keyed.column == leaf
      case _ => false
    })
    group.chunk(leaf).filter(_ => isTested && !byFooter.areAllNull).fold(byFooter) { chunk =>
      chunkValues.distinct(chunk, schema.getColumnDescription(leaf.toArray)) match {
        case None => byFooter.copy(mayHold = chunkValues.bloom(chunk))
        case all => byFooter.copy(distinct = all)
      }
    }
  }

  // ---- pages ----

  private final class IndexedPages(group: RowGroup) {
    private val pages = mutable.Map.empty[Seq[String], Option[IndexedSeq[(RowRange, LeafStatistics)]]]

    def rows(column: Column, test: ColumnPredicate, truth: Boolean): RowRanges = {
      val spans = parts(column).map(rows(_, test, truth))
      spans.reduceOption(_.union(_)).getOrElse(RowRanges.none)
    }

    /**
     * Without a column index, the chunk is tested as a whole. If no value is null and all values pass, the
     * column index is not read.
     */
    private def rows(part: ValueSource, test: ColumnPredicate, truth: Boolean): RowRanges = {
      def mayBe(result: Boolean, facts: LeafStatistics) = judgement.mayBe(test, result, part.possible(facts))
      val whole = part.leaf.fold(LeafStatistics.unknown(group.rows))(facts(group, _))
      if (!mayBe(truth, whole)) RowRanges.none
      else if (whole.nulls.contains(0L) && !mayBe(!truth, whole) && !part.possible(whole).orNull)
        RowRanges.first(group.rows)
      else
        part.leaf.flatMap(leaf => pages.getOrElseUpdate(leaf, leafPages.of(group, leaf))) match {
          case Some(pages) => RowRanges.of(pages.iterator.collect {
              case (span, f) if mayBe(truth, f) => span
            }.toSeq)
          case None => RowRanges.first(group.rows)
        }
    }
  }
}
