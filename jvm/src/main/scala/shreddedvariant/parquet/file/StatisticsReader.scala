/** What a file's statistics say of a leaf: of its chunk in a row group, from the footer, and of its pages. */
package shreddedvariant.parquet.file

import java.math.{BigDecimal, BigInteger}
import java.nio.{ByteBuffer, ByteOrder}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.parquet.SemanticVersion
import org.apache.parquet.VersionParser.ParsedVersion
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.internal.column.columnindex.{ColumnIndex, OffsetIndex}
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import shreddedvariant.layout.ScalarType
import shreddedvariant.stats._

final class StatisticsReader(writer: ParsedVersion) {
  private val dropsBoundsAtNaN = StatisticsReader.dropsBoundsAtNaN(writer)

  def ofChunk(chunk: ColumnChunkMetaData): LeafStatistics = {
    val known = Option(chunk.getStatistics).map(_.asInstanceOf[Statistics[_]])
    val nulls = known.filter(_.isNumNullsSet).map(_.getNumNulls)
    val decode = StatisticsReader.decoder(chunk.getPrimitiveType)
    val bounds = known.filter(_.hasNonNullValue).fold(Bounds.none) { statistics =>
      StatisticsReader.bounds(decode)(statistics.genericGetMin, statistics.genericGetMax)
    }
    val hasNoNaN = dropsBoundsAtNaN && bounds != Bounds.none
    LeafStatistics(chunk.getValueCount, nulls, bounds, hasNoNaN, levels = levels(chunk))
  }

  /** Writers may leave the histogram out; one that counts other than all entries counts for nothing. */
  private def levels(chunk: ColumnChunkMetaData): Option[IndexedSeq[Long]] =
    for {
      sizes <- Option(chunk.getSizeStatistics)
      if sizes.isValid
      counts <- Option(sizes.getDefinitionLevelHistogram).map(_.asScala.toIndexedSeq.map(_.longValue))
      if counts.nonEmpty && counts.forall(_ >= 0) && counts.sum == chunk.getValueCount
    } yield counts

  /** The pages of a chunk as spans of its row group, each with its facts. */
  def ofPages(
      chunk: ColumnChunkMetaData,
      index: ColumnIndex,
      places: OffsetIndex,
      rows: Long
  ): IndexedSeq[(RowRange, LeafStatistics)] = {
    val (least, greatest, isNull) = (index.getMinValues, index.getMaxValues, index.getNullPages)
    val nulls = Option(index.getNullCounts).filter(_.size == places.getPageCount)
    val column = chunk.getPrimitiveType
    val decode = StatisticsReader.decoder(column)
    def plain(bounds: java.util.List[ByteBuffer], page: Int) =
      StatisticsReader.plain(column, bounds.get(page))
    (0 until places.getPageCount).map { page =>
      val span = RowRange(places.getFirstRowIndex(page), places.getLastRowIndex(page, rows) + 1)
      val facts =
        if (isNull.get(page)) LeafStatistics(span.size, Some(span.size), Bounds.none, hasNoNaN = false)
        else {
          val bounds = StatisticsReader.bounds(decode)(plain(least, page), plain(greatest, page))
          // Nulls of repeated leaves may be more than rows: only that there are some is said by them.
          val known = nulls.map(counts => math.min(counts.get(page), span.size - 1).max(0L))
          LeafStatistics(span.size, known, bounds, dropsBoundsAtNaN && bounds != Bounds.none)
        }
      (span, facts)
    }
  }
}

object StatisticsReader {
  type Decoder = Any => Option[Datum]

  /**
   * parquet-mr has left out bounds that met a NaN since 1.10 (PARQUET-1246). Others write bounds of the other numbers.
   */
  private def dropsBoundsAtNaN(writer: ParsedVersion): Boolean =
    writer != null && writer.application == "parquet-mr" &&
      Try(SemanticVersion.parse(writer.version).compareTo(new SemanticVersion(1, 10, 0)) >= 0).getOrElse(
        false
      )

  /** How values of a column become what predicates compare; None for types that variants lack. */
  def decoder(column: PrimitiveType): Option[Decoder] = ScalarType.fromParquet(column).flatMap {
    case ScalarType.Bool => decoding { case flag: java.lang.Boolean => Datum.exact(if (flag) 1 else 0) }
    case ScalarType.Float32 | ScalarType.Float64 =>
      decoding { case number: Number => Datum.Floating(number.doubleValue) }
    case ScalarType.Dec(_, scale) =>
      decoding {
        case bytes: Binary => Datum.Exact(new BigDecimal(new BigInteger(bytes.getBytes), scale))
        case number: Number => Datum.Exact(BigDecimal.valueOf(number.longValue, scale))
      }
    case ScalarType.Str | ScalarType.Binary | ScalarType.Uuid =>
      decoding { case bytes: Binary => Datum.Bytes(bytes.getBytes) }
    case _ => decoding { case number: Number => Datum.exact(number.longValue) }
  }

  /**
   * Two ends as a writer left them. Law: NaN bounds nothing, and where one end is NaN the other one is not to be trusted
   * either; parquet-java sees to that in footers, and not in column indexes. Zeros may have either sign: their order
   * ([[SkippingRule.NegativeZero]]) takes both for equal, so that 0.0 as the least value leaves room for -0.0.
   */
  private def bounds(decode: Option[Decoder])(least: Any, greatest: Any): Bounds = {
    val bounds = Bounds(decode.flatMap(_(least)), decode.flatMap(_(greatest)))
    if (bounds.hasNaN) Bounds.none else bounds
  }

  private def decoding(decode: PartialFunction[Any, Datum]): Option[Decoder] = Some(decode.lift)

  /** A bound in a column index, encoded as a plain value. */
  private[parquet] def plain(column: PrimitiveType, bytes: ByteBuffer): Any = {
    val buffer = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN)
    val at = buffer.position()
    column.getPrimitiveTypeName match {
      case BOOLEAN => buffer.get(at) != 0
      case INT32 => buffer.getInt(at)
      case INT64 => buffer.getLong(at)
      case FLOAT => buffer.getFloat(at)
      case DOUBLE => buffer.getDouble(at)
      case _ => Binary.fromConstantByteBuffer(buffer)
    }
  }
}
