/** Which rows of a row group a predicate may be true of, by all that the file says of them without being decoded. */
package shreddedvariant.parquet.skip

import scala.collection.mutable
import org.apache.parquet.VersionParser.ParsedVersion
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.schema.MessageType
import shreddedvariant.parquet.bind.PredicateBinder
import shreddedvariant.parquet.file.{LeafPages, RowGroup, StatisticsReader}
import shreddedvariant.stats._

/**
 * Judges in the order of cost: statistics of the footer; dictionaries and bloom filters of the leaves that these leave
 * open; the column indexes of the pages.
 */
final class Skipping(
    predicate: Predicate,
    binder: PredicateBinder,
    reader: ParquetFileReader,
    writer: ParsedVersion
) {
  private val judgement = new Judgement
  private val leafFacts = new StatisticsReader(writer)
  private val leafPages = new LeafPages(reader, leafFacts)
  private val chunkValues = new ChunkValues(reader)
  private val schema: MessageType = reader.getFileMetaData.getSchema
  private val bound = mutable.Map.empty[Column, Seq[ValueSource]]

  /** By the footer alone. */
  def mayMatch(group: RowGroup): Boolean = judgement.rows(predicate) { (column, test, truth) =>
    mayBe(group, column, test, truth)(facts(group, _))
  }

  def rows(group: RowGroup): RowRanges =
    if (!mayMatch(group) || !mayMatchByValues(group)) RowRanges.none
    else {
      val pages = new IndexedPages(group)
      judgement.rows(predicate)(pages.rows)(RowRanges.algebra(group.rows))
    }

  private def parts(column: Column) = bound.getOrElseUpdate(column, binder.parts(column))

  private def mayBe(group: RowGroup, column: Column, test: ColumnPredicate, truth: Boolean)(
      of: Seq[String] => LeafStatistics
  ): Boolean =
    parts(column).exists { part =>
      judgement.mayBe(test, truth, part.possible(part.leaf.fold(LeafStatistics.unknown(group.rows))(of)))
    }

  private def facts(group: RowGroup, leaf: Seq[String]): LeafStatistics =
    group.chunk(leaf).fold(LeafStatistics.unknown(group.rows))(leafFacts.ofChunk)

  // ---- dictionaries and bloom filters ----

  private def mayMatchByValues(group: RowGroup): Boolean = {
    val known = mutable.Map.empty[Seq[String], LeafStatistics]
    def values(leaf: Seq[String]) = known.getOrElseUpdate(leaf, withValues(group, leaf))
    judgement.rows(predicate) { (column, test, truth) =>
      def byFooter(of: Boolean) = mayBe(group, column, test, of)(facts(group, _))
      // A test that is the same for all rows learns nothing more from single values.
      byFooter(truth) && (!byFooter(!truth) || mayBe(group, column, test, truth)(values))
    }
  }

  private def withValues(group: RowGroup, leaf: Seq[String]): LeafStatistics = {
    val byFooter = facts(group, leaf)
    val isJudged = bound.valuesIterator.exists(_.exists {
      case typed: ValueSource.Typed => typed.column == leaf
      case keyed: ValueSource.Keyed => keyed.column == leaf
      case _ => false
    })
    group.chunk(leaf).filter(_ => isJudged && !byFooter.areAllNull).fold(byFooter) { chunk =>
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
     * A chunk whose pages nobody indexed is judged as a whole; one without nulls, all values of which pass, needs none.
     */
    private def rows(part: ValueSource, test: ColumnPredicate, truth: Boolean): RowRanges = {
      def mayBe(of: Boolean, facts: LeafStatistics) = judgement.mayBe(test, of, part.possible(facts))
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
