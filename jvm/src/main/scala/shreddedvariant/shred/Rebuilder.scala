/**
 * Rebuilds the variant of one row from its cells.
 *
 * In the current layout the metadata is unchanged: stored bytes are copied, and shredded keys take their ids
 * from the metadata. In the draft layout the dictionaries of all stored parts are joined, and their values are
 * copied with new ids.
 */
package shreddedvariant.shred

import java.util.Arrays

import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.Decimal
import org.apache.spark.unsafe.types.VariantVal
import shreddedvariant.Errors
import shreddedvariant.binary.{Dictionary, Encoding, JoinedDictionary, MalformedVariant}
import shreddedvariant.layout.ScalarType._

sealed abstract class Rebuilder(root: CellVector, keys: StoredKeys, maxBytes: Int) extends CellSink {
  protected val out = new Bytes(1024, maxBytes, throw Errors.tooLarge(root.path, maxBytes))
  private lazy val walk = new CellWalk(root, keys, this)

  protected def idOfField(cell: CellVector, key: String, name: Int): Int
  protected def idOfStored(within: StoredValue, id: Int): Int

  protected def value(row: Int): Array[Byte] = {
    out.clear()
    malformedAt(root)(walk.write(row))
    if (out.length > maxBytes) throw Errors.tooLarge(root.path, maxBytes)
    out.slice(0, out.length)
  }

  protected final def malformedAt[A](cell: CellVector)(body: => A): A =
    try body
    catch { case e: MalformedVariant => throw Errors.malformedValue(cell.path, e.reason) }

  override def variantNull(): Unit = ValueWriter.variantNull(out)

  override def scalar(typed: ScalarVector): ScalarSink = ScalarRebuilder(typed, out)

  override def fields(cell: CellVector, typed: ObjectVector): ObjectSink = new ObjectSink {
    private val nameOf = typed.keys.map(keys.nameOf)
    private val header = new OpenHeader
    private var ids = new Array[Int](typed.keys.length)

    override def open(capacity: Int): Unit = {
      if (capacity > ids.length) ids = new Array[Int](capacity)
      header.open(capacity)
    }
    override def shredded(field: Int): Unit = put(idOfField(cell, typed.keys(field), nameOf(field)))
    override def residual(within: StoredValue, id: Int): Unit = put(idOfStored(within, id))
    override def close(): Unit = {
      out.closeGap(header.reserved)
      header.reserved =
        ValueWriter.closeObject(out, header.start, header.reserved, header.size, ids, header.offsets)
    }

    private def put(id: Int): Unit = {
      ids(header.size) = id
      header.next()
    }
  }

  override def elements(): ArraySink = new ArraySink {
    private val header = new OpenHeader

    // Each element takes at least one byte for its offset and one byte for its value.
    override def open(size: Int): Unit = {
      out.checkLimit(2L * size)
      header.open(size)
    }
    override def element(index: Int): Unit = header.next()
    override def close(): Unit = {
      out.closeGap(header.reserved)
      header.reserved =
        ValueWriter.closeArray(out, header.start, header.reserved, header.size, header.offsets)
    }
  }

  /** The state of a header that is written after its values; `reserved` is the size of the previous header. */
  private final class OpenHeader {
    var start = 0
    var size = 0
    var reserved = 0
    var offsets = new Array[Int](8)

    def open(capacity: Int): Unit = {
      if (capacity > offsets.length) offsets = new Array[Int](math.max(capacity, 2 * offsets.length))
      start = out.length
      out.openGap(reserved)
      size = 0
    }
    def next(): Unit = {
      offsets(size) = out.length - start - reserved
      size += 1
    }
  }
}

/** The current layout. If `isStrict`, refuses everything that the layout forbids. */
final class RowRebuilder(root: CellVector, maxBytes: Int, keys: RowKeys, isStrict: Boolean)
    extends Rebuilder(root, keys, maxBytes) {
  def this(root: CellVector, maxBytes: Int, isStrict: Boolean = false) =
    this(root, maxBytes, new RowKeys(root), isStrict)
  private lazy val strict = new StrictCells(root, keys)

  /** The value of a row whose variant is not SQL NULL. */
  def rebuild(row: Int, metadata: Array[Byte]): Array[Byte] = {
    keys.use(metadata)
    malformedAt(root)(keys.dictionary)
    if (isStrict) strict.check(row)
    value(row)
  }

  override protected def idOfField(cell: CellVector, key: String, name: Int): Int = {
    val id = keys.dictionary.idOfName(name)
    if (id < 0) throw Errors.malformedValue(cell.path, s"its key '$key' is not in the metadata")
    id
  }

  override protected def idOfStored(within: StoredValue, id: Int): Int = id

  /** Checks only the outermost size; readers of the value check its parts. */
  override def stored(cell: CellVector, row: Int): Unit = {
    val start = out.length
    out.put(cell.value.getUTF8String(row))
    val stored = out.length - start
    malformedAt(cell) {
      if (stored == 0) Encoding.malformed("it is empty")
      val size = Encoding.sizeOf(out.raw, start)
      if (size > stored) Encoding.malformed("it ends too early")
      out.truncate(start + size)
    }
  }

  override def stored(within: StoredValue, at: Int): Unit = {
    val size = Encoding.sizeOf(within.bytes, at)
    within.budget.take(size)
    out.put(within.bytes, at, size)
  }
}

/** The draft layout. */
final class DraftRebuilder(root: CellVector, maxBytes: Int, maxDepth: Int, keys: PartKeys)
    extends Rebuilder(root, keys, maxBytes) {
  def this(root: CellVector, maxBytes: Int, maxDepth: Int) =
    this(root, maxBytes, maxDepth, new PartKeys(root))

  private val dictionary = new JoinedDictionary(keys.names)
  private val copy = new RekeyingCopy(dictionary, out, maxDepth)

  def rebuild(row: Int): VariantVal = if (root.hasTyped(row)) {
    dictionary.clear()
    val bytes = value(row)
    new VariantVal(bytes, malformedAt(root)(dictionary.metadata))
  } else if (root.hasStored(row)) DraftRebuilder.stored(root, row, maxBytes)
  else new VariantVal(Array(0), Dictionary.noKeys)

  override protected def idOfField(cell: CellVector, key: String, name: Int): Int = dictionary.idOfName(name)
  override protected def idOfStored(within: StoredValue, id: Int): Int =
    dictionary.idOf(within.dictionary, id)

  override def stored(cell: CellVector, row: Int): Unit = malformedAt(cell) {
    val stored = keys.stored(cell, row)
    copy.copy(stored, stored.at)
  }

  override def stored(within: StoredValue, at: Int): Unit = copy.copy(within, at)
}

object DraftRebuilder {

  /** A stored value as a variant: splits the binary into metadata and value. */
  def stored(cell: CellVector, row: Int, maxBytes: Int): VariantVal =
    try {
      val bytes = cell.value.getBinary(row)
      val start = PartKeys.valueStart(bytes)
      if (start == bytes.length) Encoding.malformed("it has no value behind its metadata")
      val size = Encoding.sizeOf(bytes, start)
      if (size > maxBytes) throw Errors.tooLarge(cell.path, maxBytes)
      val keys = if (PartKeys.isKeyless(bytes)) Dictionary.noKeys else Arrays.copyOf(bytes, start)
      new VariantVal(Arrays.copyOfRange(bytes, start, start + size), keys)
    } catch { case e: MalformedVariant => throw Errors.malformedValue(cell.path, e.reason) }
}

/** Writes one row of a typed column as a variant value. */
object ScalarRebuilder {
  def apply(typed: ScalarVector, out: Bytes): ScalarSink = {
    val column = typed.vector
    typed.scalar match {
      case Bool => row => ValueWriter.boolean(out, column.getBoolean(row))
      case Int8 | Int16 | Int32 => row => ValueWriter.integer(out, column.getInt(row).toLong)
      case Int64 => row => ValueWriter.integer(out, column.getLong(row))
      case Float32 => row => ValueWriter.float32(out, column.getFloat(row))
      case Float64 => row => ValueWriter.float64(out, column.getDouble(row))
      case Dec(p, s) if p <= Decimal.MAX_INT_DIGITS =>
        row => ValueWriter.decimal(out, column.getInt(row).toLong, s)
      case Dec(p, s) if p <= Decimal.MAX_LONG_DIGITS =>
        row => ValueWriter.decimal(out, column.getLong(row), s)
      case Dec(_, s) => row => ValueWriter.decimal(out, column.getBinary(row), s)
      case Date => row => ValueWriter.number(out, Encoding.Date, column.getInt(row).toLong, 4)
      case Time => long(column, Encoding.Time, out)
      case Timestamp => long(column, Encoding.Timestamp, out)
      case TimestampNtz => long(column, Encoding.TimestampNtz, out)
      case TimestampNanos => long(column, Encoding.TimestampNanos, out)
      case TimestampNtzNanos => long(column, Encoding.TimestampNtzNanos, out)
      // `getUTF8String` returns bytes of any type without a copy.
      case Binary => row => ValueWriter.binary(out, column.getUTF8String(row))
      case Str =>
        val texts = typed.texts
        row => {
          val id = typed.textId(row)
          if (id < 0) ValueWriter.string(out, column.getUTF8String(row))
          else ValueWriter.string(out, texts.bytes, texts.start(id), texts.end(id))
        }
      case Uuid => row => ValueWriter.uuid(out, column.getUTF8String(row))
    }
  }

  private def long(column: WritableColumnVector, id: Int, out: Bytes): ScalarSink =
    row => ValueWriter.number(out, id, column.getLong(row), 8)
}
