/** One leaf column of a file, decoded batch by batch, with the levels that nesting above it needs. */
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

/** How the dates and timestamps of a file are decoded. */
final case class Rebasing(
    datetimeMode: String,
    datetimeZone: String,
    int96Mode: String,
    int96Zone: String,
    convertInt96To: Option[ZoneId]
)

object Rebasing {

  /** Numbers as they stand in the file: what a variant keeps. */
  val none: Rebasing = Rebasing("CORRECTED", "UTC", "CORRECTED", "UTC", None)
}

final class LeafColumnReader(
    val descriptor: ColumnDescriptor,
    dataType: DataType,
    rebasing: Rebasing,
    vectors: VectorAllocator,
    place: BatchPosition
) {
  val vector: WritableColumnVector = vectors.announce(dataType)
  private var definitionLevels: WritableColumnVector = _
  private var repetitionLevels: WritableColumnVector = _
  private var reader: VectorizedColumnReader = _
  private var pages: CheckedPages = _

  /** For its pages, one after the other, and for what is made of them. */
  val buffer = new PageBuffer
  val plain = new PageBuffer
  private var texts: LeafTexts = _

  private var needs = List.empty[RowGroup => Boolean]
  private var levelNeeds = List.empty[RowGroup => Boolean]
  private var hasLevels = true
  private var active = true
  private var isLazy = true
  private var rowsOfBatch = 0
  private var rowsWaiting = 0L

  def path: Seq[String] = descriptor.getPath.toSeq

  /** Whether the row group is read of it. */
  def isActive: Boolean = active

  /** Says when somebody reads this leaf; a leaf that nobody needs in a row group costs nothing there. */
  def neededWhen(need: RowGroup => Boolean): this.type = { needs = need :: needs; this }

  def isNeededIn(group: RowGroup): Boolean = needs.exists(_(group))

  /** Asked for by somebody who looks at the vector itself, and not through [[whenAsked]]. */
  def eagerly(): this.type = { isLazy = false; this }

  def maxRepetition: Int = descriptor.getMaxRepetitionLevel

  /** Asked for by a struct or list whose presence or offsets this leaf tells in those row groups. */
  def keepLevels(need: RowGroup => Boolean): this.type = {
    levelNeeds = need :: levelNeeds
    if (definitionLevels == null) definitionLevels = vectors.announce(IntegerType)
    eagerly()
  }

  /** Repetition levels can be decoded only together with definition levels, and repeated values only with both. */
  if (maxRepetition > 0) {
    keepLevels(_ => true)
    repetitionLevels = vectors.announce(IntegerType)
  }

  /** For those who take texts out of the dictionary's page themselves. */
  def keepTexts(): DictionaryTexts = {
    if (texts == null) texts = new LeafTexts
    texts
  }

  /** Leaves the leaf out of a row group that does not need it: all its values are null there. */
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
    own.foreach(vectors.fit)
    hasLevels = levelNeeds.exists(_(group))
    rowsWaiting = 0
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
  }

  def close(): Unit = {
    buffer.release()
    plain.release()
  }

  def read(rows: Int): Unit = {
    rowsOfBatch = rows
    if (isLazy) rowsWaiting += rows else decode(rows)
  }

  /** The vector of the current batch, decoded as soon as somebody asks; rows that nobody asked for are passed over. */
  def whenAsked: WritableColumnVector = {
    while (rowsWaiting > 0) {
      val rows = math.min(vectors.capacity.toLong, math.max(rowsWaiting - rowsOfBatch, 0)).toInt
      decode(if (rows == 0) rowsOfBatch else rows)
      rowsWaiting -= (if (rows == 0) rowsOfBatch else rows)
    }
    vector
  }

  private def decode(rows: Int): Unit = refusing {
    own.foreach(_.reset())
    SparkBridge.readBatch(reader, rows, vector, repetitionLevels, if (hasLevels) definitionLevels else null)
    val read = if (maxRepetition == 0) rows else entries
    if (maxRepetition > 0) {
      if (entries > 0 && repetition(0) != 0) throw new ParquetDecodingException("it begins within a row")
      if (vector.hasDictionary) fillIdsAtNulls()
    }
    if (vector.hasDictionary) checkIds(read)
  }

  /**
   * Law: whoever looks a value of the batch up in the dictionary, and whenever, finds one. Ids at nulls are left from other
   * batches and not looked up, so they are told from others only where some id is none.
   */
  private def checkIds(read: Int): Unit = {
    val ids = vector.getDictionaryIds
    var greatest = 0
    var signs = 0
    var row = 0
    while (row < read) {
      val id = ids.getDictId(row)
      greatest = math.max(greatest, id)
      signs |= id
      row += 1
    }
    if (signs < 0 || greatest >= pages.dictionary.size)
      checkPresent(ids, read)
  }

  private def checkPresent(ids: WritableColumnVector, read: Int): Unit = {
    var row = 0
    while (row < read) {
      if (!vector.isNullAt(row)) pages.dictionary.check(ids.getDictId(row))
      row += 1
    }
  }

  /** Says in which column of which file the decoder failed, whoever asked it to decode. */
  private def refusing(decode: => Unit): Unit =
    try decode
    catch {
      case e: ShreddedVariantException => throw e
      case e: SchemaColumnConvertNotSupportedException =>
        val wrong = Errors.columnType(path.mkString("."), e.getPhysicalType, e.getLogicalType)
        throw Errors.inFile(place.file, None, wrong)
      case NonFatal(e) => throw Errors.damagedPages(place.file, path.mkString("."), e)
      // Pages may lie about sizes, or the heap is too small: nobody can tell, so no rows are left out for it.
      case e: OutOfMemoryError => throw Errors.decodingMemory(place.file, path.mkString("."), e)
    }

  private def own = Seq(vector, definitionLevels, repetitionLevels).filter(_ != null)

  /**
   * Spark asks for elements of arrays before it asks whether they are null, and the reader leaves the dictionary ids there
   * as they were: what memory held before is no entry of this dictionary.
   */
  private def fillIdsAtNulls(): Unit = {
    val ids = vector.getDictionaryIds
    ids.reserve(entries)
    var element = 0
    while (element < entries) {
      if (vector.isNullAt(element)) ids.putInt(element, 0)
      element += 1
    }
  }

  /** Levels of the batch: entries are rows, or one for each element, empty or null list where the leaf is repeated. */
  def entries: Int = definitionLevels.getElementsAppended
  def definition(entry: Int): Int = definitionLevels.getInt(entry)
  def repetition(entry: Int): Int = if (repetitionLevels == null) 0 else repetitionLevels.getInt(entry)
}
