/** What the footer of a file tells exactly of the values of a column in a row group. */
package shreddedvariant.parquet.skip

import scala.collection.mutable

import org.apache.parquet.VersionParser.ParsedVersion
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BINARY
import shreddedvariant.layout.{PathColumn, Wanted}
import shreddedvariant.parquet.bind.PredicateBinder
import shreddedvariant.parquet.file.{RowGroup, StatisticsReader}
import shreddedvariant.stats._

final class FooterAggregates(schema: MessageType, binder: PredicateBinder, writer: ParsedVersion) {
  private val leafFacts = new StatisticsReader(writer)
  private val bound = mutable.Map.empty[Column, Option[Seq[ValueSource]]]

  /** A row has its value from one of the column's parts, and each of these is known exactly or none of them counts. */
  def of(column: Column, group: RowGroup): Option[ExactAggregates] =
    parts(column).flatMap { parts =>
      parts.map(tally(_, group)).foldLeft(Option(ExactAggregates.none)) {
        case (Some(sum), Some(next)) => Some(sum.and(next))
        case _ => None
      }
    }

  /** What gives the column its values; None where they are the reader's matter. */
  def parts(column: Column): Option[Seq[ValueSource]] =
    bound.getOrElseUpdate(column, Some(binder.parts(column)).filter(parts => isRead(column, parts)))

  private def isRead(column: Column, parts: Seq[ValueSource]): Boolean = (column.origin, parts) match {
    // What a file gives for a column of another type is the reader's matter, which may refuse it.
    case (_: Origin.Plain, Seq(typed: ValueSource.Typed)) => typed.casts.forall(_.isReading)
    case (Origin.Path(PathColumn(_, _, _: Wanted.Entry)), Seq(typed: ValueSource.Typed)) =>
      typed.casts.forall(_.isReading)
    // The metadata is null where the variant is, if it cannot be null itself.
    case (Origin.Path(PathColumn(_, Nil, Wanted.Presence)), Seq(ValueSource.Nulls(leaf, _, _))) =>
      schema.getMaxDefinitionLevel(leaf: _*) == schema.getMaxDefinitionLevel(leaf.init: _*)
    case _ => true
  }

  private def tally(part: ValueSource, group: RowGroup): Option[ExactAggregates] = part.leaf match {
    case None => part.tally(LeafStatistics.unknown(group.rows))
    case Some(leaf) => group.chunk(leaf).flatMap { chunk =>
        part.tally(leafFacts.ofChunk(chunk)).map { tally =>
          // Writers may cut bounds of binaries, which decimals may be stored as.
          if (chunk.getPrimitiveType.getPrimitiveTypeName == BINARY) tally.copy(ends = None) else tally
        }
      }
  }
}
