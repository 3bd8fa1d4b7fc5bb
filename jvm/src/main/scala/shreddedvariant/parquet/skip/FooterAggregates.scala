/** Computes exact aggregates of a column in a row group from the footer. */
package shreddedvariant.parquet.skip

import scala.collection.mutable

import org.apache.parquet.VersionParser.ParsedVersion
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BINARY
import shreddedvariant.layout.{PathColumn, PathResult}
import shreddedvariant.parquet.bind.PredicateBinder
import shreddedvariant.parquet.file.{RowGroup, StatisticsReader}
import shreddedvariant.stats._

final class FooterAggregates(schema: MessageType, binder: PredicateBinder, writer: ParsedVersion) {
  private val statistics = new StatisticsReader(writer)
  private val boundParts = mutable.Map.empty[Column, Option[Seq[ValueSource]]]

  /**
   * The sum over the column's parts, since each row has its value from one part. None if one part is not exact.
   */
  def of(column: Column, group: RowGroup): Option[ExactAggregates] =
    parts(column).flatMap { parts =>
      parts.map(tally(_, group)).foldLeft(Option(ExactAggregates.none)) {
        case (Some(sum), Some(next)) => Some(sum.and(next))
        case _ => None
      }
    }

  /** The parts that give the column its values; None if only decoding gives the right values. */
  def parts(column: Column): Option[Seq[ValueSource]] =
    boundParts.getOrElseUpdate(column, Some(binder.parts(column)).filter(parts => isExact(column, parts)))

  private def isExact(column: Column, parts: Seq[ValueSource]): Boolean = (column.origin, parts) match {
    // The reader may refuse a column of another type, so its values are decoded.
    case (_: Origin.Plain, Seq(typed: ValueSource.Typed)) => typed.casts.forall(_.isReading)
    case (Origin.Path(PathColumn(_, _, _: PathResult.Entry)), Seq(typed: ValueSource.Typed)) =>
      typed.casts.forall(_.isReading)
    // Null metadata means a NULL variant only if the metadata column is required in its group.
    case (Origin.Path(PathColumn(_, Nil, PathResult.Presence)), Seq(ValueSource.Nulls(leaf, _, _))) =>
      schema.getMaxDefinitionLevel(leaf: _*) == schema.getMaxDefinitionLevel(leaf.init: _*)
    case _ => true
  }

  private def tally(part: ValueSource, group: RowGroup): Option[ExactAggregates] = part.leaf match {
    case None => part.tally(LeafStatistics.unknown(group.rows))
    case Some(leaf) => group.chunk(leaf).filter(hasAllRows(_, group)).flatMap { chunk =>
        part.tally(statistics.ofChunk(chunk)).map { tally =>
          // Writers may truncate bounds of BINARY columns, which may also store decimals.
          if (chunk.getPrimitiveType.getPrimitiveTypeName == BINARY) tally.copy(ends = None) else tally
        }
      }
  }

  /** A reader refuses a chunk with another number of values, so it is decoded. */
  private def hasAllRows(chunk: ColumnChunkMetaData, group: RowGroup): Boolean =
    chunk.getValueCount == group.rows || schema.getMaxRepetitionLevel(chunk.getPath.toArray: _*) > 0
}
