/**
 * The cells of one row → the variant's value (specification: Reconstructing a Shredded Variant).
 *
 * The stored metadata stays as it is, so bytes of `value` are passed through; shredded keys take their ids from it.
 */
package shreddedvariant.shred

import org.apache.spark.sql.types.Decimal
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.Errors
import shreddedvariant.layout.ScalarType

final class Rebuilder(root: CellVector, maxBytes: Int) {
  private val names = new Names(Rebuilder.keysOf(root).distinct.toIndexedSeq)
  private val dictionaries = new Dictionaries(names)
  private val out = new Bytes(1024)
  private val rootNode = node(root)
  private var dictionary: ResolvedDictionary = _

  /** The value of a row whose variant is not SQL NULL. */
  def rebuild(row: Int, metadata: Array[Byte]): Array[Byte] = {
    out.clear()
    try {
      dictionary = dictionaries.resolve(metadata)
      if (!rootNode.write(row)) ValueWriter.variantNull(out)
    } catch {
      case e: MalformedVariant => throw Errors.malformedValue(root.path, e.reason)
    }
    if (out.length > maxBytes) throw Errors.tooLarge(root.path, maxBytes)
    out.slice(0, out.length)
  }

  private def node(cell: CellVector): Node = cell.typed match {
    case null => new UntypedNode(cell)
    case scalar: ScalarVector => new ScalarNode(cell, scalar)
    case array: ArrayVector => new ArrayNode(cell, array)
    case fields: ObjectVector => new ObjectNode(cell, fields)
  }

  /** One cell. [[write]] says false, and writes nothing, where both of its columns are null. */
  private sealed abstract class Node(cell: CellVector) {
    def write(row: Int): Boolean

    protected def hasValue(row: Int): Boolean = cell.value != null && !cell.value.isNullAt(row)

    protected def writeValue(row: Int): Boolean = hasValue(row) && {
      val start = out.length
      out.put(cell.value.getUTF8String(row))
      checkEnd(start)
      true
    }

    /** The outermost sizes of a stored value; what it holds is looked into by those who ask for it. */
    private def checkEnd(start: Int): Unit = located {
      val stored = out.length - start
      if (stored == 0) Encoding.malformed("it is empty")
      val size = Encoding.sizeOf(out.raw, start)
      if (size > stored) Encoding.malformed("it ends too early")
      out.truncate(start + size)
    }

    protected def located[A](body: => A): A =
      try body
      catch { case e: MalformedVariant => throw Errors.malformedValue(cell.path, e.reason) }

    protected def refuseValueBeside(row: Int, what: String): Unit =
      if (hasValue(row)) throw Errors.conflict(cell.path, what)
  }

  private final class UntypedNode(cell: CellVector) extends Node(cell) {
    def write(row: Int): Boolean = writeValue(row)
  }

  private final class ScalarNode(cell: CellVector, typed: ScalarVector) extends Node(cell) {
    private val column = typed.vector

    def write(row: Int): Boolean =
      if (column.isNullAt(row)) writeValue(row)
      else {
        refuseValueBeside(row, "the typed value is no object")
        ScalarRebuilder.write(typed.scalar, column, row, out)
        true
      }
  }

  private final class ArrayNode(cell: CellVector, typed: ArrayVector) extends Node(cell) {
    private val element = node(typed.element)

    def write(row: Int): Boolean = {
      val size = typed.lists.length(row)
      if (size < 0) writeValue(row)
      else {
        refuseValueBeside(row, "the typed value is an array")
        val first = typed.lists.start(row)
        val offsets = new Array[Int](size)
        val start = out.length
        var i = 0
        while (i < size) {
          offsets(i) = out.length - start
          if (!element.write(first + i)) ValueWriter.variantNull(out)
          i += 1
        }
        ValueWriter.closeArray(out, start, size, offsets)
        true
      }
    }
  }

  private final class ObjectNode(cell: CellVector, typed: ObjectVector) extends Node(cell) {
    private val fields = typed.cells.map(node)
    private val nameOf = typed.keys.map { key =>
      val k = key.getBytes("UTF-8"); names.find(k, 0, k.length)
    }

    def write(row: Int): Boolean =
      if (!typed.presence.isPresent(row)) writeValue(row)
      else {
        val residual = if (hasValue(row)) cell.value.getBinary(row) else null
        val from = if (residual == null) null else residualObject(residual)
        val capacity = fields.length + (if (from == null) 0 else from.size)
        val ids = new Array[Int](capacity)
        val offsets = new Array[Int](capacity)
        val start = out.length
        var size = 0
        var i = 0
        while (i < fields.length) {
          val offset = out.length - start
          if (fields(i).write(row)) {
            ids(size) = idOf(i)
            offsets(size) = offset
            size += 1
          }
          i += 1
        }
        if (from != null && from.size > 0) size = located(union(residual, from, start, size, ids, offsets))
        ValueWriter.closeObject(out, start, size, ids, offsets)
        true
      }

    private def idOf(field: Int): Int = {
      val id = dictionary.idOfName(nameOf(field))
      if (id < 0)
        throw Errors.malformedValue(cell.path, s"its key '${typed.keys(field)}' is not in the metadata")
      id
    }

    private def residualObject(bytes: Array[Byte]): ObjectHeader = located {
      if (Encoding.basicType(bytes, 0) != Encoding.Object)
        throw Errors.conflict(cell.path, "the value is no object")
      Encoding.sizeOf(bytes, 0)
      new ObjectHeader(bytes, 0)
    }

    /**
     * Adds the keys of `value` to the `shredded` ones, which come first in `ids`; both are brought into the order of
     * keys by their rank in the dictionary, whatever order the residual object had. A key that is shredded must not
     * stand in `value`; where it does, the shredded columns count.
     */
    private def union(
        bytes: Array[Byte],
        from: ObjectHeader,
        start: Int,
        shredded: Int,
        ids: Array[Int],
        offsets: Array[Int]
    ): Int = {
      var size = shredded
      var i = 0
      while (i < from.size) {
        val id = dictionary.dictionary.checkId(from.id(i))
        if (!isField(id)) {
          val position = from.position(i)
          ids(size) = id
          offsets(size) = out.length - start
          out.put(bytes, position, Encoding.sizeOf(bytes, position))
          size += 1
        }
        i += 1
      }
      sortByKey(size, ids, offsets)
      size
    }

    private def sortByKey(size: Int, ids: Array[Int], offsets: Array[Int]): Unit = {
      val ranks = dictionary.dictionary.ranks
      val entries = Array.tabulate(size)(i => ranks(ids(i)).toLong << 32 | i)
      java.util.Arrays.sort(entries)
      val unsorted = (ids.clone, offsets.clone)
      var i = 0
      while (i < size) {
        if (i > 0 && (entries(i) >> 32) == (entries(i - 1) >> 32))
          Encoding.malformed("it holds a key twice")
        ids(i) = unsorted._1(entries(i).toInt)
        offsets(i) = unsorted._2(entries(i).toInt)
        i += 1
      }
    }

    private val isFieldName = {
      val flags = new Array[Boolean](names.size)
      nameOf.foreach(flags(_) = true)
      flags
    }

    private def isField(id: Int): Boolean = {
      val name = dictionary.nameOfId(id)
      name >= 0 && isFieldName(name)
    }
  }
}

object Rebuilder {
  private def keysOf(cell: CellVector): Seq[String] = cell.typed match {
    case fields: ObjectVector => fields.keys.toSeq ++ fields.cells.flatMap(keysOf)
    case array: ArrayVector => keysOf(array.element)
    case _ => Nil
  }
}

/** One row of a typed column as a variant value. */
object ScalarRebuilder {
  def write(scalar: ScalarType, column: ColumnVector, row: Int, out: Bytes): Unit = scalar match {
    case ScalarType.Bool => ValueWriter.boolean(out, column.getBoolean(row))
    case ScalarType.Int8 | ScalarType.Int16 | ScalarType.Int32 =>
      ValueWriter.integer(out, column.getInt(row).toLong)
    case ScalarType.Int64 => ValueWriter.integer(out, column.getLong(row))
    case ScalarType.Float32 => ValueWriter.float32(out, column.getFloat(row))
    case ScalarType.Float64 => ValueWriter.float64(out, column.getDouble(row))
    case ScalarType.Dec(p, s) if p <= Decimal.MAX_INT_DIGITS =>
      ValueWriter.decimal(out, column.getInt(row).toLong, s)
    case ScalarType.Dec(p, s) if p <= Decimal.MAX_LONG_DIGITS =>
      ValueWriter.decimal(out, column.getLong(row), s)
    case ScalarType.Dec(_, s) => ValueWriter.decimal(out, column.getBinary(row), s)
    case ScalarType.Date => ValueWriter.number(out, Encoding.Date, column.getInt(row).toLong, 4)
    case ScalarType.Time => ValueWriter.number(out, Encoding.Time, column.getLong(row), 8)
    case ScalarType.Timestamp => ValueWriter.number(out, Encoding.Timestamp, column.getLong(row), 8)
    case ScalarType.TimestampNtz => ValueWriter.number(out, Encoding.TimestampNtz, column.getLong(row), 8)
    case ScalarType.TimestampNanos => ValueWriter.number(out, Encoding.TimestampNanos, column.getLong(row), 8)
    case ScalarType.TimestampNtzNanos =>
      ValueWriter.number(out, Encoding.TimestampNtzNanos, column.getLong(row), 8)
    case ScalarType.Binary => ValueWriter.binary(out, text(column, row))
    case ScalarType.Str => ValueWriter.string(out, text(column, row))
    case ScalarType.Uuid => ValueWriter.uuid(out, text(column, row))
  }

  /** The bytes of a binary column as a pointer: a vector hands out its text without a copy, whatever its type. */
  private def text(column: ColumnVector, row: Int): UTF8String = column.getUTF8String(row)
}
