/**
 * The cells of one row → the variant's value.
 *
 * The stored metadata stays as it is, so bytes of `value` are passed through; shredded keys take their ids from it.
 */
package shreddedvariant.shred

import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.Decimal
import shreddedvariant.Errors
import shreddedvariant.binary.{Encoding, MalformedVariant}
import shreddedvariant.layout.ScalarType._

final class Rebuilder(root: CellVector, maxBytes: Int) extends CellSink {
  private val out = new Bytes(1024)
  private val keys = new RowKeys(root)
  private val walk = new CellWalk(root, keys, this)

  /** The value of a row whose variant is not SQL NULL. */
  def rebuild(row: Int, metadata: Array[Byte]): Array[Byte] = {
    out.clear()
    keys.use(metadata)
    try {
      keys.dictionary
      walk.write(row)
    } catch {
      case e: MalformedVariant => throw Errors.malformedValue(root.path, e.reason)
    }
    if (out.length > maxBytes) throw Errors.tooLarge(root.path, maxBytes)
    out.slice(0, out.length)
  }

  override def variantNull(): Unit = ValueWriter.variantNull(out)

  /** The outermost sizes are checked; what the value holds is looked into by those who ask for it. */
  override def stored(cell: CellVector, row: Int): Unit = {
    val start = out.length
    out.put(cell.value.getUTF8String(row))
    val stored = out.length - start
    try {
      if (stored == 0) Encoding.malformed("it is empty")
      val size = Encoding.sizeOf(out.raw, start)
      if (size > stored) Encoding.malformed("it ends too early")
      out.truncate(start + size)
    } catch {
      case e: MalformedVariant => throw Errors.malformedValue(cell.path, e.reason)
    }
  }

  override def stored(bytes: Array[Byte], at: Int): Unit = out.put(bytes, at, Encoding.sizeOf(bytes, at))

  override def scalar(typed: ScalarVector): ScalarSink = ScalarRebuilder(typed, out)

  override def fields(cell: CellVector, typed: ObjectVector): ObjectSink = new ObjectSink {
    private val nameOf = typed.keys.map(keys.nameOf)
    private val room = new HeaderRoom
    private var ids = new Array[Int](typed.keys.length)

    override def open(capacity: Int): Unit = {
      if (capacity > ids.length) ids = new Array[Int](capacity)
      room.open(capacity)
    }
    override def shredded(field: Int): Unit = {
      val id = keys.dictionary.idOfName(nameOf(field))
      if (id < 0)
        throw Errors.malformedValue(cell.path, s"its key '${typed.keys(field)}' is not in the metadata")
      residual(id)
    }
    override def residual(id: Int): Unit = {
      ids(room.size) = id
      room.next()
    }
    override def close(): Unit =
      room.reserved = ValueWriter.closeObject(out, room.start, room.reserved, room.size, ids, room.offsets)
  }

  override def elements(): ArraySink = new ArraySink {
    private val room = new HeaderRoom

    override def open(size: Int): Unit = room.open(size)
    override def element(index: Int): Unit = room.next()
    override def close(): Unit =
      room.reserved = ValueWriter.closeArray(out, room.start, room.reserved, room.size, room.offsets)
  }

  /** Where a header will stand, with room as for the row before, and where the values behind it begin. */
  private final class HeaderRoom {
    var start = 0
    var size = 0
    var reserved = 0
    var offsets = new Array[Int](8)

    def open(capacity: Int): Unit = {
      if (capacity > offsets.length) offsets = new Array[Int](math.max(capacity, 2 * offsets.length))
      start = out.length
      out.skip(reserved)
      size = 0
    }
    def next(): Unit = {
      offsets(size) = out.length - start - reserved
      size += 1
    }
  }
}

/** One row of a typed column as a variant value. */
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
      // A vector hands out its bytes as text without a copy, whatever its type.
      case Binary => row => ValueWriter.binary(out, column.getUTF8String(row))
      case Str => row => ValueWriter.string(out, column.getUTF8String(row))
      case Uuid => row => ValueWriter.uuid(out, column.getUTF8String(row))
    }
  }

  private def long(column: WritableColumnVector, id: Int, out: Bytes): ScalarSink =
    row => ValueWriter.number(out, id, column.getLong(row), 8)
}
