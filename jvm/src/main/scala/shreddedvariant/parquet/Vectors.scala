/** Column vectors that Spark reads nested columns, variants and row numbers from; leaves are Spark's own vectors. */
package shreddedvariant.parquet

import scala.util.control.NonFatal

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.{
  BinaryType,
  BooleanType,
  DataType,
  Decimal,
  IntegerType,
  LongType,
  StringType,
  VariantType
}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray, ColumnarMap}
import org.apache.spark.unsafe.types.{UTF8String, VariantVal}
import shreddedvariant.{Errors, ShreddedVariantException}
import shreddedvariant.maps.{HotEntries, MergedKeys, MergedMap}
import shreddedvariant.shred.{CellVector, DictionaryTexts, JsonWriter, Lists, Presence, RowRebuilder}

/** A vector that has none of the accessors; each kind below adds its own. */
sealed abstract class ReadVector(dataType: DataType) extends ColumnVector(dataType) {
  private def wrongType: Nothing = throw new IllegalStateException(s"not a value of $dataType")

  override def close(): Unit = ()
  override def hasNull: Boolean = true
  override def numNulls: Int = throw new IllegalStateException("nulls are not counted")
  override def getBoolean(row: Int): Boolean = wrongType
  override def getByte(row: Int): Byte = wrongType
  override def getShort(row: Int): Short = wrongType
  override def getInt(row: Int): Int = wrongType
  override def getLong(row: Int): Long = wrongType
  override def getFloat(row: Int): Float = wrongType
  override def getDouble(row: Int): Double = wrongType
  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal = wrongType
  override def getUTF8String(row: Int): UTF8String = wrongType
  override def getBinary(row: Int): Array[Byte] = wrongType
  override def getArray(row: Int): ColumnarArray = wrongType
  override def getMap(row: Int): ColumnarMap = wrongType
  override def getChild(ordinal: Int): ColumnVector = wrongType
}

final class StructVector(dataType: DataType, presence: Presence, children: Array[ColumnVector])
    extends ReadVector(dataType) {
  override def isNullAt(row: Int): Boolean = !presence.isPresent(row)
  override def getChild(ordinal: Int): ColumnVector = children(ordinal)
}

final class ListVector(dataType: DataType, lists: Lists, element: ColumnVector) extends ReadVector(dataType) {
  override def isNullAt(row: Int): Boolean = lists.length(row) < 0
  override def getArray(row: Int): ColumnarArray =
    if (isNullAt(row)) null else new ColumnarArray(element, lists.start(row), lists.length(row))
  override def getChild(ordinal: Int): ColumnVector = element
}

final class MapVector(dataType: DataType, lists: Lists, keys: ColumnVector, values: ColumnVector)
    extends ReadVector(dataType) {
  override def isNullAt(row: Int): Boolean = lists.length(row) < 0
  override def getMap(row: Int): ColumnarMap =
    if (isNullAt(row)) null else new ColumnarMap(keys, values, lists.start(row), lists.length(row))
  override def getChild(ordinal: Int): ColumnVector = if (ordinal == 0) keys else values
}

/** Texts of a leaf, of which each of its dictionary is made once. Where it has none, as null, the text may be any. */
final class TextVector(leaf: WritableColumnVector, texts: DictionaryTexts) extends ReadVector(leaf.dataType) {
  override def isNullAt(row: Int): Boolean = leaf.isNullAt(row)
  override def getUTF8String(row: Int): UTF8String =
    if (leaf.hasDictionary) texts.text(leaf.getDictionaryIds.getDictId(row)) else leaf.getUTF8String(row)
}

/** Where maps with hot keys are NULL. Such a map has no hot key: a file that gives it some would lose them. */
final class MapNulls(lists: Lists, val hot: HotEntries, name: String, place: FilePlace) {
  def isNullAt(row: Int): Boolean = {
    val isNull = lists.length(row) < 0
    if (isNull && hot.count(row) > 0) place.guard(name, row) {
      throw Errors.malformedMap(name, "it is NULL where a hot key has a value")
    }
    isNull
  }
}

final class MergedMapVector(dataType: DataType, lists: Lists, nulls: MapNulls, merged: MergedMap)
    extends ReadVector(dataType) {
  override def isNullAt(row: Int): Boolean = nulls.isNullAt(row)
  override def getMap(row: Int): ColumnarMap =
    if (isNullAt(row)) null else merged.at(row, lists.start(row), lists.length(row))
}

/** For those who verify a file: a map in which lookups and whole reads differ is refused. */
final class StrictMapVector(map: MergedMapVector, maps: StrictMaps) extends ReadVector(map.dataType) {
  override def isNullAt(row: Int): Boolean = map.isNullAt(row)
  override def getMap(row: Int): ColumnarMap = { maps.check(row); map.getMap(row) }
}

/** How many entries maps have, in the residual and in sidecars. */
final class MapSizeVector(lists: Lists, nulls: MapNulls) extends ReadVector(IntegerType) {
  override def isNullAt(row: Int): Boolean = nulls.isNullAt(row)
  override def getInt(row: Int): Int = if (isNullAt(row)) 0 else lists.length(row) + nulls.hot.count(row)
}

/** The keys of maps, without their values. */
final class MapKeysVector(dataType: DataType, lists: Lists, nulls: MapNulls, keys: MergedKeys)
    extends ReadVector(dataType) {
  override def isNullAt(row: Int): Boolean = nulls.isNullAt(row)
  override def getArray(row: Int): ColumnarArray =
    if (isNullAt(row)) null else keys.at(lists.start(row), lists.length(row), nulls.hot.in(row))
}

/** Whether maps have a key: one that has a value in its sidecar, or stands in the residual. */
final class HasKeyVector(sidecar: Option[Presence], residual: MapLookup) extends ReadVector(BooleanType) {
  private val hot = sidecar.orNull
  override def isNullAt(row: Int): Boolean = residual.isNull(row)
  override def getBoolean(row: Int): Boolean = residual.of(row) >= 0 || hot != null && hot.isPresent(row)
}

/** A variant is SQL NULL where its metadata is: the file has metadata in every group that is there. */
final class VariantVector(metadata: ColumnVector, value: ColumnVector) extends ReadVector(VariantType) {
  override def isNullAt(row: Int): Boolean = metadata.isNullAt(row)
  override def getChild(ordinal: Int): ColumnVector = if (ordinal == 0) value else metadata
}

/** One of the two binaries of a variant. */
sealed abstract class BinaryVector(column: String, place: FilePlace) extends ReadVector(BinaryType) {
  protected def bytes(row: Int): Array[Byte]

  override def getBinary(row: Int): Array[Byte] =
    place.guard(column, row)(bytes(row))
}

final class MetadataVector(column: String, metadata: ColumnVector, place: FilePlace)
    extends BinaryVector(column, place) {
  override def isNullAt(row: Int): Boolean = metadata.isNullAt(row)
  override protected def bytes(row: Int): Array[Byte] = metadata.getBinary(row)
}

/** Metadata that is decoded when a row asks for it: many rows of a path can do without. */
final class LazyMetadataVector(column: String, metadata: Leaf, place: FilePlace)
    extends BinaryVector(column, place) {
  override def isNullAt(row: Int): Boolean = metadata.whenAsked.isNullAt(row)
  override protected def bytes(row: Int): Array[Byte] = metadata.whenAsked.getBinary(row)
}

/** What stands for the metadata of a variant whose stored values have their own. */
final class NoMetadataVector extends ReadVector(BinaryType) {
  override def isNullAt(row: Int): Boolean = true
  override def getBinary(row: Int): Array[Byte] = null
}

/** The value of a variant that is not shredded: bytes passed through, a missing one read as variant null. */
final class StoredValueVector(column: String, metadata: ColumnVector, value: ColumnVector, place: FilePlace)
    extends BinaryVector(column, place) {
  override def isNullAt(row: Int): Boolean = metadata.isNullAt(row)
  override protected def bytes(row: Int): Array[Byte] =
    if (value.isNullAt(row)) Array(0.toByte) else value.getBinary(row)
}

/** The value of a shredded variant, rebuilt when somebody asks for the row: rows that a filter drops cost nothing. */
final class RebuiltValueVector(
    column: String,
    metadata: ColumnVector,
    rebuilder: RowRebuilder,
    place: FilePlace
) extends BinaryVector(column, place) {
  override def isNullAt(row: Int): Boolean = metadata.isNullAt(row)
  override protected def bytes(row: Int): Array[Byte] = rebuilder.rebuild(row, metadata.getBinary(row))
}

/** The number of each row within its file. */
final class RowNumberVector(place: FilePlace) extends ReadVector(LongType) {
  override def isNullAt(row: Int): Boolean = false
  override def getLong(row: Int): Long = place.row(row)
}

/** A part of a variant that its own cells hold, as a variant. */
final class PartVector(
    column: String,
    cell: CellVector,
    metadata: ColumnVector,
    rebuilder: RowRebuilder,
    place: FilePlace
) extends ReadVector(VariantType) {
  private val value = new BinaryVector(column, place) {
    override def isNullAt(row: Int): Boolean = cell.isMissing(row)
    override protected def bytes(row: Int): Array[Byte] = rebuilder.rebuild(row, metadata.getBinary(row))
  }
  override def isNullAt(row: Int): Boolean = cell.isMissing(row)
  override def getChild(ordinal: Int): ColumnVector = if (ordinal == 0) value else metadata
}

/** A variant of which both binaries are made together, when somebody asks for the row, and kept for the other one. */
final class MadeVariantVector(column: String, presence: Presence, make: Int => VariantVal, place: FilePlace)
    extends ReadVector(VariantType)
    with Assembled {
  private var row = -1
  private var made: VariantVal = _

  override def assemble(rows: Int): Unit = row = -1
  override def isNullAt(row: Int): Boolean = !presence.isPresent(row)
  override def getChild(ordinal: Int): ColumnVector = if (ordinal == 0) value else metadata

  private val value = part(_.getValue)
  private val metadata = part(_.getMetadata)

  private def part(of: VariantVal => Array[Byte]): ColumnVector = new BinaryVector(column, place) {
    override def isNullAt(row: Int): Boolean = !presence.isPresent(row)
    override protected def bytes(row: Int): Array[Byte] = of(variant(row))
  }

  private def variant(row: Int): VariantVal = {
    if (row != this.row) {
      made = make(row)
      this.row = row
    }
    made
  }
}

/** The one text, or the other where that is null. */
final class EitherTextVector(first: ColumnVector, second: ColumnVector) extends ReadVector(StringType) {
  override def isNullAt(row: Int): Boolean = first.isNullAt(row) && second.isNullAt(row)
  override def getUTF8String(row: Int): UTF8String =
    if (first.isNullAt(row)) second.getUTF8String(row) else first.getUTF8String(row)
}

/** True where something is present, null elsewhere. */
final class PresenceVector(presence: Presence) extends ReadVector(BooleanType) {
  override def isNullAt(row: Int): Boolean = !presence.isPresent(row)
  override def getBoolean(row: Int): Boolean = true
}

/** A variant, or a part of one, as JSON text, written when somebody asks for the row. */
final class CellJsonVector(
    column: String,
    presence: Presence,
    metadata: ColumnVector,
    writer: JsonWriter,
    place: FilePlace
) extends ReadVector(StringType) {
  override def isNullAt(row: Int): Boolean = !presence.isPresent(row)
  override def getUTF8String(row: Int): UTF8String =
    if (isNullAt(row)) null else place.guard(column, row)(writer.write(row, metadata.getBinary(row)))
}

/** Variants that are already made as JSON text. */
final class VariantJsonVector(
    column: String,
    variants: ReadColumn,
    writer: JsonWriter.OfVariant,
    place: FilePlace
) extends ReadVector(StringType) {
  override def isNullAt(row: Int): Boolean = variants.vector.isNullAt(row)
  override def getUTF8String(row: Int): UTF8String =
    if (isNullAt(row)) null else place.guard(column, row)(writer.write(variants.vector.getVariant(row)))
}

/** The variants of an extraction that did not become values. */
final class FailureVector(extraction: PathExtraction) extends ReadVector(VariantType) {
  override def isNullAt(row: Int): Boolean = !extraction.hasFailed(row)
  override def getChild(ordinal: Int): ColumnVector = if (ordinal == 0) values else metadata

  private val values = part(_.getValue)
  private val metadata = part(_.getMetadata)

  private def part(of: VariantVal => Array[Byte]): ColumnVector = new ReadVector(BinaryType) {
    override def isNullAt(row: Int): Boolean = !extraction.hasFailed(row)
    override def getBinary(row: Int): Array[Byte] = of(extraction.failedValue(row))
  }
}

/** Where the current batch stands: the file, and the numbers of its rows there. */
final class FilePlace(val file: String) {
  private var first = 0L
  private var numbers: Array[Long] = _

  def startAt(firstRow: Long): Unit = { first = firstRow; numbers = null }

  /** The rows of a batch with gaps between them. */
  def startAt(rows: Array[Long]): Unit = numbers = rows

  def row(row: Int): Long = if (numbers == null) first + row else numbers(row)

  /** Adds the place to what is wrong with a row. Dictionaries are decoded row by row, so damage may show only here. */
  def guard[A](column: String, row: Int)(body: => A): A =
    try body
    catch {
      case e: ShreddedVariantException => throw Errors.inFile(file, Some(this.row(row)), e)
      case e: SparkThrowable if e.getCondition == "MALFORMED_VARIANT" =>
        val malformed = Errors.malformedValue(column, "its bytes do not fit together")
        throw Errors.inFile(file, Some(this.row(row)), malformed)
      case e: SparkThrowable => throw e.asInstanceOf[Throwable]
      case NonFatal(e) => throw Errors.damagedPages(file, column, e)
    }
}
