/** Which rows of a row group a predicate may be true of, by all that the file says of them without being decoded. */
package shreddedvariant.parquet

import scala.collection.mutable
import org.apache.parquet.VersionParser.ParsedVersion
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.schema.MessageType
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
  private val leafFacts = new LeafFacts(writer)
  private val leafPages = new LeafPages(reader, leafFacts)
  private val chunkValues = new ChunkValues(reader)
  private val schema: MessageType = reader.getFileMetaData.getSchema
  private val bound = mutable.Map.empty[Column, Seq[Part]]

  /** By the footer alone. */
  def mayMatch(group: RowGroup): Boolean = judgement.rows(predicate) { (column, test, truth) =>
    mayBe(group, column, test, truth)(facts(group, _))
  }

  def rows(group: RowGroup): Spans =
    if (!mayMatch(group) || !mayMatchByValues(group)) Spans.none
    else {
      val pages = new GroupPages(group)
      judgement.rows(predicate)(pages.rows)(Spans.algebra(group.rows))
    }

  private def parts(column: Column) = bound.getOrElseUpdate(column, binder.parts(column))

  private def mayBe(group: RowGroup, column: Column, test: Test, truth: Boolean)(
      of: Seq[String] => Facts
  ): Boolean =
    parts(column).exists { part =>
      judgement.mayBe(test, truth, part.possible(part.leaf.fold(Facts.unknown(group.rows))(of)))
    }

  private def facts(group: RowGroup, leaf: Seq[String]): Facts =
    group.chunk(leaf).fold(Facts.unknown(group.rows))(leafFacts.ofChunk)

  // ---- dictionaries and bloom filters ----

  private def mayMatchByValues(group: RowGroup): Boolean = {
    val known = mutable.Map.empty[Seq[String], Facts]
    def values(leaf: Seq[String]) = known.getOrElseUpdate(leaf, withValues(group, leaf))
    judgement.rows(predicate) { (column, test, truth) =>
      def byFooter(of: Boolean) = mayBe(group, column, test, of)(facts(group, _))
      // A test that is the same for all rows learns nothing more from single values.
      byFooter(truth) && (!byFooter(!truth) || mayBe(group, column, test, truth)(values))
    }
  }

  private def withValues(group: RowGroup, leaf: Seq[String]): Facts = {
    val byFooter = facts(group, leaf)
    val isJudged = bound.valuesIterator.exists(_.exists {
      case typed: Part.Typed => typed.column == leaf
      case keyed: Part.Keyed => keyed.column == leaf
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

  private final class GroupPages(group: RowGroup) {
    private val pages = mutable.Map.empty[Seq[String], Option[IndexedSeq[(Span, Facts)]]]

    def rows(column: Column, test: Test, truth: Boolean): Spans = {
      val spans = parts(column).map(rows(_, test, truth))
      spans.reduceOption(_.union(_)).getOrElse(Spans.none)
    }

    /**
     * A chunk whose pages nobody indexed is judged as a whole; one without nulls, all values of which pass, needs none.
     */
    private def rows(part: Part, test: Test, truth: Boolean): Spans = {
      def mayBe(of: Boolean, facts: Facts) = judgement.mayBe(test, of, part.possible(facts))
      val whole = part.leaf.fold(Facts.unknown(group.rows))(facts(group, _))
      if (!mayBe(truth, whole)) Spans.none
      else if (whole.nulls.contains(0L) && !mayBe(!truth, whole) && !part.possible(whole).orNull)
        Spans.first(group.rows)
      else
        part.leaf.flatMap(leaf => pages.getOrElseUpdate(leaf, leafPages.of(group, leaf))) match {
          case Some(pages) => Spans.of(pages.iterator.collect {
              case (span, f) if mayBe(truth, f) => span
            }.toSeq)
          case None => Spans.first(group.rows)
        }
    }
  }
}
