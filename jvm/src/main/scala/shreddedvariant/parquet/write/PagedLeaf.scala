/**
 * Writes the pages of a leaf with texts, bytes, numbers or booleans, which are most shredded leaves.
 *
 * The pages are the same as those of Parquet's own writer: data pages of version 1, with a dictionary until it
 * grows too large, then PLAIN, or in variants the encodings of `withDifferences`. But a value costs less: no
 * object is created for it, and only distinct values are compared with the bounds of a page. Most leaves of a
 * shredded variant are null in most rows. A run of nulls is stored as a count, and if each row has one entry, a
 * null after a null costs nothing.
 */
package shreddedvariant.parquet.write

import scala.jdk.CollectionConverters._

import org.apache.parquet.bytes.{BytesInput, BytesUtils}
import org.apache.parquet.column.{ColumnDescriptor, Encoding, ParquetProperties}
import org.apache.parquet.column.page.PageWriter
import org.apache.parquet.column.statistics.{SizeStatistics, Statistics}
import org.apache.parquet.column.statistics.geospatial.GeospatialStatistics
import org.apache.parquet.schema.{LogicalTypeAnnotation, PrimitiveType}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import shreddedvariant.parquet.page.{PageCompression, RleEncoder}
import shreddedvariant.shred.LeafWriter

/**
 * `row` is the number of the current row. `onLarge` is called if page sizes must be checked before the next
 * row: after large values, and for pages far above the size limit.
 */
private[parquet] final class PagedLeaf(
    val column: ColumnDescriptor,
    properties: ParquetProperties,
    row: RowNumber,
    onLarge: () => Unit,
    withDifferences: Boolean
) extends LeafWriter {
  private val primitive = column.getPrimitiveType
  private val values =
    PagedLeaf.valuesOf(primitive, properties.getDictionaryPageSizeThreshold, withDifferences)
  private val definitions = new Levels(column.getMaxDefinitionLevel)
  private val repetitions = new Levels(column.getMaxRepetitionLevel)

  // Checks after a number of rows may be too late if rows grow.
  private val urgentSize = 16L * properties.getPageSizeThreshold
  private val hasRepetitions = column.getMaxRepetitionLevel > 0
  private var pages: PageWriter = _
  private var compression: PageCompression = _
  private var firstRow = 0L

  // The levels of the last entry, and the entries of the page if rows may have several entries.
  private var definition = 0
  private var repetition = 0
  private var entryCount = 0

  /** Starts a row group, whose pages go to `pages`. */
  def start(pages: PageWriter, compression: PageCompression): Unit = {
    this.pages = pages
    this.compression = compression
    firstRow = 0
  }

  override def writeNull(r: Int, d: Int): Unit = addLevels(r, d)

  override def write(bytes: Array[Byte], from: Int, length: Int, r: Int, d: Int): Unit = {
    addLevels(r, d)
    values.add(bytes, from, length)
    if (length >= PagedLeaf.Large || isOversized) onLarge()
  }

  override def write(value: Int, r: Int, d: Int): Unit = write(value.toLong, r, d)

  override def write(value: Long, r: Int, d: Int): Unit = {
    addLevels(r, d)
    values.add(value)
    if (isOversized) onLarge()
  }

  private def isOversized = values.bufferedBytes >= urgentSize

  override def write(value: Boolean, r: Int, d: Int): Unit = write(if (value) 1L else 0L, r, d)
  override def write(value: Float, r: Int, d: Int): Unit =
    write(java.lang.Float.floatToRawIntBits(value).toLong, r, d)
  override def write(value: Double, r: Int, d: Int): Unit =
    write(java.lang.Double.doubleToRawLongBits(value), r, d)

  private def addLevels(r: Int, d: Int): Unit = {
    if (d != definition) {
      definitions.endRun(definition, pageEntries)
      definition = d
    }
    if (hasRepetitions) {
      if (r != repetition) {
        repetitions.endRun(repetition, entryCount)
        repetition = r
      }
      entryCount += 1
    }
  }

  /** The approximate bytes of the current page, which decide whether it is full, and its rows. */
  def pageBytes: Long = values.bufferedBytes + pageEntries / 8
  def pageRows: Long = row.number - firstRow
  def pageEntries: Int = if (hasRepetitions) entryCount else pageRows.toInt

  /** The approximate bytes of this leaf in the row group so far. */
  def bufferedBytes: Long = pages.getMemSize + pageBytes

  /** Ends the page. The next row is in the next page. */
  def endPage(): Unit = {
    definitions.endRun(definition, pageEntries)
    repetitions.endRun(repetition, pageEntries)
    val (encoded, encoding) = values.encode(compression.sizeOf)
    val sizes = new SizeStatistics(
      primitive,
      values.textBytes,
      repetitions.histogram(minLevel = 0),
      definitions.histogram(minLevel = 1)
    )
    compression.of(column, values.areLong)(pages.writePage(
      BytesInput.concat(repetitions.encoded, definitions.encoded, encoded),
      pageEntries,
      pageRows.toInt,
      if (properties.getStatisticsEnabled(column)) values.statistics(definitions.belowMax)
      else Statistics.noopStats(primitive),
      sizes,
      GeospatialStatistics.noopBuilder().build(),
      repetitions.encoding,
      definitions.encoding,
      encoding
    ))
    values.endPage()
    definitions.clear()
    repetitions.clear()
    firstRow = row.number
    entryCount = 0
  }

  /** Ends the column chunk of the row group. */
  def end(): Unit = {
    if (pageRows > 0) endPage()
    val dictionary = values.dictionary
    if (dictionary != null) pages.writeDictionaryPage(dictionary)
    values.clear()
  }

  /** The levels of a page, added as runs, because most columns have one level in most rows. */
  private final class Levels(max: Int) {
    private val counts = new Array[Long](max + 1)
    private val runs = new RleEncoder(BytesUtils.getWidthFromMaxInt(max))
    private var ended = 0

    /** Adds a run of this level for all entries of the page after the previous run. */
    def endRun(level: Int, entries: Int): Unit = {
      val run = entries - ended
      counts(level) += run
      if (max > 0) runs.add(level, run)
      ended = entries
    }

    /** The entries without a value in all runs. */
    def belowMax: Long = ended - counts(max)

    def encoding: Encoding = if (max == 0) PagedLeaf.noLevels else Encoding.RLE

    def encoded: BytesInput =
      if (max == 0) BytesInput.empty
      else {
        val levels = runs.encoded
        BytesInput.concat(BytesInput.fromInt(levels.size.toInt), levels)
      }

    /** The count of each level; empty if the max level is at most `minLevel`. */
    def histogram(minLevel: Int): java.util.List[java.lang.Long] =
      if (max <= minLevel) java.util.List.of() else counts.map(java.lang.Long.valueOf).toSeq.asJava

    def clear(): Unit = {
      java.util.Arrays.fill(counts, 0)
      ended = 0
      runs.clear()
    }
  }
}

private[parquet] object PagedLeaf {
  private final val Large = 64 * 1024

  /** Creates the values of a leaf. `withDifferences` allows the DELTA encodings instead of PLAIN. */
  private def valuesOf(primitive: PrimitiveType, maxDictionary: Int, withDifferences: Boolean): PageValues =
    primitive.getPrimitiveTypeName match {
      case INT32 => new PageNumbers(primitive, 4, maxDictionary, withDifferences)
      case INT64 => new PageNumbers(primitive, 8, maxDictionary, withDifferences)
      case FLOAT => new PageFractions(primitive, 4, maxDictionary)
      case DOUBLE => new PageFractions(primitive, 8, maxDictionary)
      case BOOLEAN => new PageBooleans(primitive)
      case _ => new PageTexts(primitive, maxDictionary, withDifferences)
    }

  /** Parquet's encoding of levels for a column without levels. */
  private val noLevels = Encoding.valueOf("BIT_PACKED")

  /** Whether this class supports a column and its settings. Other columns are left to Parquet's own writers. */
  def takes(column: ColumnDescriptor, properties: ParquetProperties): Boolean = {
    val primitive = column.getPrimitiveType
    val isSimple = primitive.getPrimitiveTypeName match {
      case INT32 | INT64 =>
        // Unsigned numbers have another order.
        primitive.getLogicalTypeAnnotation match {
          case int: LogicalTypeAnnotation.IntLogicalTypeAnnotation => int.isSigned
          case _ => true
        }
      case BOOLEAN | FLOAT | DOUBLE => true
      case BINARY =>
        primitive.getLogicalTypeAnnotation match {
          case null => true
          case _: LogicalTypeAnnotation.StringLogicalTypeAnnotation => true
          case _ => false
        }
      case _ => false
    }
    isSimple && properties.getWriterVersion == ParquetProperties.WriterVersion.PARQUET_1_0 &&
    properties.isDictionaryEnabled(column) && !properties.isByteStreamSplitEnabled(column) &&
    !properties.isBloomFilterEnabled(column)
  }
}

/** The number of complete rows in the row group, which is the number of the current row. */
private[parquet] final class RowNumber {
  var number = 0L
}
