/**
 * A leaf whose pages are made here: texts, bytes, numbers and booleans, which most shredded leaves are.
 *
 * The pages are those that Parquet's own writer makes (data pages of version 1, a dictionary until it grows too large,
 * then PLAIN, or in variants the encodings `withDifferences`). What differs is what a value costs: no object is made for it, and the bounds of a page are compared with
 * distinct values only. Most leaves of a shredded variant are null in most rows; a run of nulls is a number here, and where
 * each row has one entry, nothing is done for a null after a null.
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
 * `row` is the number of the row that is written. `onLarge` is told where pages should be looked at before the next row: of
 * large values, and of far too large pages.
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

  // Whoever looks at pages after so many rows may be late: rows grow.
  private val farTooLarge = 16L * properties.getPageSizeThreshold
  private val hasRepetitions = column.getMaxRepetitionLevel > 0
  private var pages: PageWriter = _
  private var compression: PageCompression = _
  private var firstRow = 0L

  // The levels of the last entry, and how many entries the page has where a row has any number of them.
  private var definition = 0
  private var repetition = 0
  private var told = 0

  /** Takes the place of the next row group's pages. */
  def start(pages: PageWriter, compression: PageCompression): Unit = {
    this.pages = pages
    this.compression = compression
    firstRow = 0
  }

  override def writeNull(r: Int, d: Int): Unit = addLevels(r, d)

  override def write(bytes: Array[Byte], from: Int, length: Int, r: Int, d: Int): Unit = {
    addLevels(r, d)
    values.add(bytes, from, length)
    if (length >= PagedLeaf.Large || isFarTooLarge) onLarge()
  }

  override def write(value: Int, r: Int, d: Int): Unit = write(value.toLong, r, d)

  override def write(value: Long, r: Int, d: Int): Unit = {
    addLevels(r, d)
    values.add(value)
    if (isFarTooLarge) onLarge()
  }

  private def isFarTooLarge = values.bufferedBytes >= farTooLarge

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
        repetitions.endRun(repetition, told)
        repetition = r
      }
      told += 1
    }
  }

  /** About the bytes of the present page, which say when it is full, and rows in it. */
  def pageBytes: Long = values.bufferedBytes + pageEntries / 8
  def pageRows: Long = row.number - firstRow
  def pageEntries: Int = if (hasRepetitions) told else pageRows.toInt

  /** About what the row group has of this leaf so far. */
  def bufferedBytes: Long = pages.getMemSize + pageBytes

  /** Ends the page before the row that comes next. */
  def endPage(): Unit = {
    definitions.endRun(definition, pageEntries)
    repetitions.endRun(repetition, pageEntries)
    val (encoded, encoding) = values.encode(compression.sizeOf)
    val sizes = new SizeStatistics(
      primitive,
      values.textBytes,
      repetitions.histogram(least = 0),
      definitions.histogram(least = 1)
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
    told = 0
  }

  /** Ends the leaf of the row group. */
  def end(): Unit = {
    if (pageRows > 0) endPage()
    val dictionary = values.dictionary
    if (dictionary != null) pages.writeDictionaryPage(dictionary)
    values.clear()
  }

  /** Levels of a page, as runs: most columns have one level in most rows. */
  private final class Levels(max: Int) {
    private val counts = new Array[Long](max + 1)
    private val runs = new RleEncoder(BytesUtils.getWidthFromMaxInt(max))
    private var ended = 0

    /** All entries of the page that were in no run before have this level. */
    def endRun(level: Int, entries: Int): Unit = {
      val run = entries - ended
      counts(level) += run
      if (max > 0) runs.add(level, run)
      ended = entries
    }

    /** How many of those whose run has ended stand for no value. */
    def belowMax: Long = ended - counts(max)

    def encoding: Encoding = if (max == 0) PagedLeaf.noLevels else Encoding.RLE

    def encoded: BytesInput =
      if (max == 0) BytesInput.empty
      else {
        val levels = runs.encoded
        BytesInput.concat(BytesInput.fromInt(levels.size.toInt), levels)
      }

    /** How often each level is met; a leaf that has no more levels than `least` needs none. */
    def histogram(least: Int): java.util.List[java.lang.Long] =
      if (max <= least) java.util.List.of() else counts.map(java.lang.Long.valueOf).toSeq.asJava

    def clear(): Unit = {
      java.util.Arrays.fill(counts, 0)
      ended = 0
      runs.clear()
    }
  }
}

private[parquet] object PagedLeaf {
  private final val Large = 64 * 1024

  /** The values of a page. `withDifferences` allows the DELTA encodings where they are smaller than PLAIN. */
  private def valuesOf(primitive: PrimitiveType, maxDictionary: Int, withDifferences: Boolean): PageValues =
    primitive.getPrimitiveTypeName match {
      case INT32 => new PageNumbers(primitive, 4, maxDictionary, withDifferences)
      case INT64 => new PageNumbers(primitive, 8, maxDictionary, withDifferences)
      case FLOAT => new PageFractions(primitive, 4, maxDictionary)
      case DOUBLE => new PageFractions(primitive, 8, maxDictionary)
      case BOOLEAN => new PageBooleans(primitive)
      case _ => new PageTexts(primitive, maxDictionary, withDifferences)
    }

  /** What Parquet writes where a column has no levels. */
  private val noLevels = Encoding.valueOf("BIT_PACKED")

  /** Whether a column can be a leaf of this kind; what was set otherwise for it is Parquet's to do. */
  def takes(column: ColumnDescriptor, properties: ParquetProperties): Boolean = {
    val primitive = column.getPrimitiveType
    val isSimple = primitive.getPrimitiveTypeName match {
      case INT32 | INT64 =>
        // Other numbers than signed ones have another order.
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

/** How many rows of the row group were written: the number of the one that is being written. */
private[parquet] final class RowNumber {
  var number = 0L
}
