/** Reads the statistics of a leaf's column chunk from the footer, and of its pages from the column index. */
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
    val statistics = Option(chunk.getStatistics).map(_.asInstanceOf[Statistics[_]])
    val nulls = statistics.filter(_.isNumNullsSet).map(_.getNumNulls)
    val decode = StatisticsReader.decoder(chunk.getPrimitiveType)
    val bounds = statistics.filter(_.hasNonNullValue).fold(Bounds.none) { present =>
      StatisticsReader.bounds(decode)(present.genericGetMin, present.genericGetMax)
    }
    val hasNoNaN = dropsBoundsAtNaN && bounds != Bounds.none
    LeafStatistics(chunk.getValueCount, nulls, bounds, hasNoNaN, levels = levels(chunk))
  }

  /** The histogram of definition levels; None if it is missing or its sum differs from the value count. */
  private def levels(chunk: ColumnChunkMetaData): Option[IndexedSeq[Long]] =
    for {
      sizes <- Option(chunk.getSizeStatistics)
      if sizes.isValid
      histogram <- Option(sizes.getDefinitionLevelHistogram).map(_.asScala.toIndexedSeq.map(_.longValue))
      if histogram.nonEmpty && histogram.forall(_ >= 0) && histogram.sum == chunk.getValueCount
    } yield histogram

  /** The row range of each page in the row group, with its statistics. */
  def ofPages(
      chunk: ColumnChunkMetaData,
      index: ColumnIndex,
      offsets: OffsetIndex,
      rows: Long
  ): IndexedSeq[(RowRange, LeafStatistics)] = {
    val (mins, maxes, isNull) = (index.getMinValues, index.getMaxValues, index.getNullPages)
    val nulls = Option(index.getNullCounts).filter(_.size == offsets.getPageCount)
    val column = chunk.getPrimitiveType
    val decode = StatisticsReader.decoder(column)
    def plain(bounds: java.util.List[ByteBuffer], page: Int) =
      StatisticsReader.plain(column, bounds.get(page))
    (0 until offsets.getPageCount).map { page =>
      val span = RowRange(offsets.getFirstRowIndex(page), offsets.getLastRowIndex(page, rows) + 1)
      val facts =
        if (isNull.get(page)) LeafStatistics(span.size, Some(span.size), Bounds.none, hasNoNaN = false)
        else {
          val bounds = StatisticsReader.bounds(decode)(plain(mins, page), plain(maxes, page))
          // The null count of a repeated leaf may exceed the rows: it only proves that there are nulls.
          val nullCount = nulls.map(counts => math.min(counts.get(page), span.size - 1).max(0L))
          LeafStatistics(span.size, nullCount, bounds, dropsBoundsAtNaN && bounds != Bounds.none)
        }
      (span, facts)
    }
  }
}

object StatisticsReader {
  type Decoder = Any => Option[Datum]

  /**
   * Since 1.10, parquet-mr writes no bounds if a value is NaN (PARQUET-1246). Other writers write bounds of the
   * other numbers.
   */
  private def dropsBoundsAtNaN(writer: ParsedVersion): Boolean =
    writer != null && writer.application == "parquet-mr" &&
      Try(SemanticVersion.parse(writer.version).compareTo(new SemanticVersion(1, 10, 0)) >= 0).getOrElse(
        false
      )

  /**
   * Converts values of a column to the values that predicates compare; None for types that variants do not
   * have.
   */
  def decoder(column: PrimitiveType): Option[Decoder] = ScalarType.fromParquet(column).flatMap {
    case ScalarType.Bool => decoding { case flag: java.lang.Boolean => Datum.exact(if (flag) 1 else 0) }
    case ScalarType.Float32 | ScalarType.Float64 =>
      decoding { case number: Number => Datum.Floating(number.doubleValue) }
    case ScalarType.Dec(_, scale) =>
      decoding {
        case bytes: Binary if bytes.length > 0 =>
          Datum.Exact(new BigDecimal(new BigInteger(bytes.getBytes), scale))
        case number: Number => Datum.Exact(BigDecimal.valueOf(number.longValue, scale))
      }
    case ScalarType.Str | ScalarType.Binary | ScalarType.Uuid =>
      decoding { case bytes: Binary => Datum.Bytes(bytes.getBytes) }
    case _ => decoding { case number: Number => Datum.exact(number.longValue) }
  }

  /**
   * The min and max that a writer stored. Law: NaN is not a bound, and if one bound is NaN, the other bound is
   * not trusted either. parquet-java ensures this for footers, but not for column indexes. A bound of zero may
   * have either sign: `SkippingRule.NegativeZero` compares 0.0 and -0.0 as equal, so a min of 0.0 does not
   * exclude -0.0.
   */
  private def bounds(decode: Option[Decoder])(min: Any, max: Any): Bounds = {
    val bounds = Bounds(decode.flatMap(_(min)), decode.flatMap(_(max)))
    if (bounds.hasNaN) Bounds.none else bounds
  }

  private def decoding(decode: PartialFunction[Any, Datum]): Option[Decoder] = Some(decode.lift)

  /** Decodes a bound in a column index, which is in PLAIN encoding. */
  private[parquet] def plain(column: PrimitiveType, bytes: ByteBuffer): Any = {
    val buffer = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN)
    val offset = buffer.position()
    column.getPrimitiveTypeName match {
      case BOOLEAN => buffer.get(offset) != 0
      case INT32 => buffer.getInt(offset)
      case INT64 => buffer.getLong(offset)
      case FLOAT => buffer.getFloat(offset)
      case DOUBLE => buffer.getDouble(offset)
      case _ => Binary.fromConstantByteBuffer(buffer)
    }
  }
}
