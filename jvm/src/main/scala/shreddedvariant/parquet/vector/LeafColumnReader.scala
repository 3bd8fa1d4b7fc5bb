/** Decodes one leaf of a file in batches, with the levels that the groups and lists above it need. */
package shreddedvariant.parquet.vector

import java.time.ZoneId

import scala.util.control.NonFatal

import org.apache.parquet.VersionParser.ParsedVersion
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.io.ParquetDecodingException
import org.apache.spark.sql.execution.datasources.SchemaColumnConvertNotSupportedException
import org.apache.spark.sql.execution.datasources.parquet.VectorizedColumnReader
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.{DataType, IntegerType}
import shreddedvariant.{Errors, ShreddedVariantException, SparkBridge}
import shreddedvariant.parquet.file.RowGroup
import shreddedvariant.parquet.page.{CheckedPages, LeafTexts, PageBuffer}
import shreddedvariant.shred.DictionaryTexts

/** The settings for decoding dates and timestamps of a file. */
final case class Rebasing(
    datetimeMode: String,
    datetimeZone: String,
    int96Mode: String,
    int96Zone: String,
    convertInt96To: Option[ZoneId]
)

object Rebasing {

  /** Keeps the stored numbers, as for variants. */
  val none: Rebasing = Rebasing("CORRECTED", "UTC", "CORRECTED", "UTC", None)
}

final class LeafColumnReader(
    val descriptor: ColumnDescriptor,
    dataType: DataType,
    rebasing: Rebasing,
    vectors: VectorAllocator,
    position: BatchPosition
) {
  val vector: WritableColumnVector = vectors.announce(dataType)
  private var definitionLevels: WritableColumnVector = _
  private var repetitionLevels: WritableColumnVector = _
  private var reader: VectorizedColumnReader = _
  private var pages: CheckedPages = _

  /** The buffer for the current page, and the buffer for the current page in PLAIN encoding. */
  val buffer = new PageBuffer
  val plain = new PageBuffer
  private var texts: LeafTexts = _
  private var decimals: Option[DecimalCheck] = DecimalCheck.of(dataType, isOfVariant = false)
  private var refusesOfDictionary = false

  private var needs = List.empty[RowGroup => Boolean]
  private var levelNeeds = List.empty[RowGroup => Boolean]
  private var hasLevels = true
  private var active = true
  private var isLazy = true
  private var batchRows = 0
  private var pendingRows = 0L

  def path: Seq[String] = descriptor.getPath.toSeq

  /** Whether the leaf is read in the current row group. */
  def isActive: Boolean = active

  /** Adds a condition for reading this leaf. In row groups that match no condition, the leaf is not read. */
  def neededWhen(need: RowGroup => Boolean): this.type = { needs = need :: needs; this }

  def isNeededIn(group: RowGroup): Boolean = needs.exists(_(group))

  /** Refuses values that no variant of the column's type has. */
  def ofVariant(): this.type = { decimals = DecimalCheck.of(dataType, isOfVariant = true); this }

  /** Decodes each batch at once, for callers that use [[vector]] and not [[whenAsked]]. */
  def eagerly(): this.type = { isLazy = false; this }

  def maxRepetition: Int = descriptor.getMaxRepetitionLevel

  /** Keeps levels in row groups that match `need`, for the presence of a struct or the offsets of a list. */
  def keepLevels(need: RowGroup => Boolean): this.type = {
    levelNeeds = need :: levelNeeds
    if (definitionLevels == null) definitionLevels = vectors.announce(IntegerType)
    eagerly()
  }

  // Repetition levels can only be decoded with definition levels, and repeated values only with both.
  if (maxRepetition > 0) {
    keepLevels(_ => true)
    repetitionLevels = vectors.announce(IntegerType)
  }

  /** The texts of the dictionary page, for callers that copy them from there. */
  def keepTexts(): DictionaryTexts = {
    if (texts == null) texts = new LeafTexts
    texts
  }

  /** Skips a row group that does not need the leaf: all values are null there. */
  def skip(): Unit = {
    if (active) {
      vectors.fit(vector)
      vector.reset()
      vector.putNulls(0, vectors.capacity)
    }
    active = false
  }

  def open(from: PageReadStore, writer: ParsedVersion, group: RowGroup): Unit = refusing {
    active = true
    allVectors.foreach(vectors.fit)
    hasLevels = levelNeeds.exists(_(group))
    pendingRows = 0
    pages = new CheckedPages(from)
    reader = new VectorizedColumnReader(
      descriptor,
      descriptor.getMaxDefinitionLevel == 0,
      pages,
      rebasing.convertInt96To.orNull,
      rebasing.datetimeMode,
      rebasing.datetimeZone,
      rebasing.int96Mode,
      rebasing.int96Zone,
      writer
    )
    if (texts != null) texts.are(pages.dictionary)
    refusesOfDictionary = pages.dictionary != null && decimals.exists {
      _.refusesOf(pages.dictionary, descriptor.getPrimitiveType)
    }
  }

  def close(): Unit = {
    buffer.release()
    plain.release()
  }

  def read(rows: Int): Unit = {
    batchRows = rows
    if (isLazy) pendingRows += rows else decode(rows)
  }

  /**
   * The vector of the current batch, decoded on first access. Rows of batches without access are decoded and
   * dropped.
   */
  def whenAsked: WritableColumnVector = {
    while (pendingRows > 0) {
      val rows = math.min(vectors.capacity.toLong, math.max(pendingRows - batchRows, 0)).toInt
      decode(if (rows == 0) batchRows else rows)
      pendingRows -= (if (rows == 0) batchRows else rows)
    }
    vector
  }

  private def decode(rows: Int): Unit = refusing {
    allVectors.foreach(_.reset())
    SparkBridge.readBatch(reader, rows, vector, repetitionLevels, if (hasLevels) definitionLevels else null)
    val read = if (maxRepetition == 0) rows else entries
    if (maxRepetition > 0) {
      if (entries > 0 && repetition(0) != 0) throw new ParquetDecodingException("it starts inside a row")
      if (vector.hasDictionary) fillIdsAtNulls()
    }
    if (vector.hasDictionary) checkIds(read)
    if (decimals.isDefined && (!vector.hasDictionary || refusesOfDictionary)) decimals.get.check(vector, read)
  }

  /**
   * Law: every later lookup of a value of the batch in the dictionary succeeds. Ids at nulls are left over from
   * other batches and are not looked up, so nulls are only checked if some id is invalid.
   */
  private def checkIds(read: Int): Unit = {
    val ids = vector.getDictionaryIds
    var maxId = 0
    var signs = 0
    var row = 0
    while (row < read) {
      val id = ids.getDictId(row)
      maxId = math.max(maxId, id)
      signs |= id
      row += 1
    }
    if (signs < 0 || maxId >= pages.dictionary.size)
      checkPresent(ids, read)
  }

  private def checkPresent(ids: WritableColumnVector, read: Int): Unit = {
    var row = 0
    while (row < read) {
      if (!vector.isNullAt(row)) pages.dictionary.check(ids.getDictId(row))
      row += 1
    }
  }

  /** Adds the file and the column to errors of the decoder. */
  private def refusing(decode: => Unit): Unit =
    try decode
    catch {
      case e: ShreddedVariantException => throw e
      case e: SchemaColumnConvertNotSupportedException =>
        val typeError = Errors.columnType(path.mkString("."), e.getPhysicalType, e.getLogicalType)
        throw Errors.inFile(position.file, None, typeError)
      case NonFatal(e) => throw Errors.damagedPages(position.file, path.mkString("."), e)
      // A damaged size or a small heap: the cause is unknown, so `ignoreCorruptFiles` must not skip the file.
      case e: OutOfMemoryError => throw Errors.decodingMemory(position.file, path.mkString("."), e)
    }

  private def allVectors = Seq(vector, definitionLevels, repetitionLevels).filter(_ != null)

  /**
   * Sets the dictionary ids at nulls to 0. Spark reads elements of arrays before it checks whether they are
   * null, and the decoder leaves arbitrary ids at nulls, which may be outside of the dictionary.
   */
  private def fillIdsAtNulls(): Unit = {
    val ids = vector.getDictionaryIds
    ids.reserve(entries)
    var entry = 0
    while (entry < entries) {
      if (vector.isNullAt(entry)) ids.putInt(entry, 0)
      entry += 1
    }
  }

  /**
   * The entries of the batch: rows, or for a repeated leaf, one entry for each element and each empty or null
   * list.
   */
  def entries: Int = definitionLevels.getElementsAppended
  def definition(entry: Int): Int = definitionLevels.getInt(entry)
  def repetition(entry: Int): Int = if (repetitionLevels == null) 0 else repetitionLevels.getInt(entry)
}
