/**
 * Walks the cells of one row and passes the variant to a sink (specification: Reconstructing a Shredded
 * Variant).
 *
 * The walk passes fields in the order of their keys, both shredded fields and fields in `value`. The walk
 * refuses malformed cells; the sink decides how the values are written.
 */
package shreddedvariant.shred

import shreddedvariant.Errors
import shreddedvariant.binary.{Encoding, MalformedVariant, ObjectHeader}

/** Receives the parts of a variant in order. The sinks of the cells are created once and used for all rows. */
trait CellSink {
  def variantNull(): Unit

  /** A stored value of a cell. */
  def stored(cell: CellVector, row: Int): Unit

  /** A value inside a stored object whose fields the walk passes one by one. */
  def stored(within: StoredValue, at: Int): Unit

  def scalar(typed: ScalarVector): ScalarSink
  def fields(cell: CellVector, typed: ObjectVector): ObjectSink
  def elements(): ArraySink
}

trait ScalarSink {
  def put(row: Int): Unit
}

/** Each field is named before its value; `capacity` is an upper bound of the number of fields. */
trait ObjectSink {
  def open(capacity: Int): Unit
  def shredded(field: Int): Unit
  def residual(within: StoredValue, id: Int): Unit
  def close(): Unit
}

trait ArraySink {
  def open(size: Int): Unit
  def element(index: Int): Unit
  def close(): Unit
}

final class CellWalk(root: CellVector, keys: StoredKeys, sink: CellSink) {
  private val rootNode = node(root)

  /** A root or an element whose columns are all null is a variant null. */
  def write(row: Int): Unit = writeOrNull(rootNode, row)

  private def writeOrNull(node: Node, row: Int): Unit =
    if (node.isMissing(row)) sink.variantNull() else node.write(row)

  private def node(cell: CellVector): Node = cell.typed match {
    case Array() => new UntypedNode(cell)
    case Array(scalar: ScalarVector) => new ScalarNode(cell, scalar)
    case Array(array: ArrayVector) => new ArrayNode(cell, array)
    case Array(fields: ObjectVector) => new ObjectNode(cell, fields)
    case _ => new MixedNode(cell)
  }

  /** One cell. `write` must not be called for rows where the cell is missing. */
  private sealed abstract class Node(val cell: CellVector) {
    def isMissing(row: Int): Boolean = cell.isMissing(row)
    def write(row: Int): Unit

    protected def refuseStoredBeside(row: Int, reason: String): Unit =
      if (cell.hasStored(row)) throw keys.conflict(cell, reason)
  }

  private final class UntypedNode(cell: CellVector) extends Node(cell) {
    def write(row: Int): Unit = sink.stored(cell, row)
  }

  private final class ScalarNode(cell: CellVector, typed: ScalarVector) extends Node(cell) {
    private val out = sink.scalar(typed)
    private val vector = typed.vector

    override def isMissing(row: Int): Boolean = vector.isNullAt(row) && !cell.hasStored(row)

    def write(row: Int): Unit =
      if (vector.isNullAt(row)) sink.stored(cell, row)
      else {
        refuseStoredBeside(row, "the typed value is not an object")
        out.put(row)
      }
  }

  private final class ArrayNode(cell: CellVector, typed: ArrayVector) extends Node(cell) {
    private val element = node(typed.element)
    private val out = sink.elements()

    def write(row: Int): Unit = {
      val size = typed.lists.length(row)
      if (size < 0) sink.stored(cell, row)
      else {
        refuseStoredBeside(row, "the typed value is an array")
        val first = typed.lists.start(row)
        out.open(size)
        var i = 0
        while (i < size) {
          out.element(i)
          writeOrNull(element, first + i)
          i += 1
        }
        out.close()
      }
    }
  }

  /** A cell with several typed parts, of which a row may set at most one. */
  private final class MixedNode(cell: CellVector) extends Node(cell) {
    private val parts = cell.typed.map(part => node(new CellVector(cell.path, cell.value, Array(part))))

    def write(row: Int): Unit = {
      var present: Node = null
      var i = 0
      while (i < parts.length) {
        if (!cell.typed(i).isNullAt(row)) {
          if (present != null) throw Errors.twoTyped(cell.path)
          present = parts(i)
        }
        i += 1
      }
      if (present == null) sink.stored(cell, row) else present.write(row)
    }
  }

  private final class ObjectNode(cell: CellVector, typed: ObjectVector) extends Node(cell) {
    private val fields = new Array[Node](typed.cells.length)
    // A loop, because a closure would take several frames of the stack at each level.
    private var made = 0
    while (made < fields.length) {
      fields(made) = node(typed.cells(made))
      made += 1
    }
    private val nameOf = typed.keys.map(keys.nameOf)

    /** The field of each name; -1 for names that are not fields of this object. */
    private val fieldOfName = {
      val fields = Array.fill(keys.names.size)(-1)
      nameOf.indices.foreach(i => fields(nameOf(i)) = i)
      fields
    }
    private val out = sink.fields(cell, typed)

    def write(row: Int): Unit =
      if (typed.isNullAt(row)) sink.stored(cell, row)
      else if (cell.hasStored(row)) writeUnion(row, located(keys.stored(cell, row)))
      else {
        out.open(fields.length)
        var i = 0
        while (i < fields.length) {
          if (!fields(i).isMissing(row)) writeField(i, row)
          i += 1
        }
        out.close()
      }

    private def writeField(i: Int, row: Int): Unit = {
      out.shredded(i)
      fields(i).write(row)
    }

    /** Merges shredded and stored fields by the rank of their keys in the dictionary of the stored value. */
    private def writeUnion(row: Int, stored: StoredValue): Unit = {
      val residual = residualObject(stored)
      val entries = located(unshredded(stored, residual, row))
      out.open(fields.length + entries.length)
      var entry = 0
      var i = 0
      while (i < fields.length) {
        if (!fields(i).isMissing(row)) {
          val rank = located(stored.rankOfName(nameOf(i), keys.names))
          while (entry < entries.length && (entries(entry) >> 32) < rank) {
            writeEntry(residual, stored, entries(entry).toInt)
            entry += 1
          }
          writeField(i, row)
        }
        i += 1
      }
      while (entry < entries.length) {
        writeEntry(residual, stored, entries(entry).toInt)
        entry += 1
      }
      out.close()
    }

    private def writeEntry(residual: ObjectHeader, stored: StoredValue, i: Int): Unit = located {
      out.residual(stored, residual.id(i))
      sink.stored(stored, residual.position(i))
    }

    private def residualObject(stored: StoredValue): ObjectHeader = located {
      if (Encoding.basicType(stored.bytes, stored.at) != Encoding.Object)
        throw keys.conflict(cell, "the stored value is not an object")
      Encoding.sizeOf(stored.bytes, stored.at)
      new ObjectHeader(stored.bytes, stored.at)
    }

    /**
     * The stored fields to write: fields that are not shredded and, in the draft layout, fields whose shredded
     * field is missing. Each entry has the rank of the key and the index in the object. The entries are sorted
     * by key, in whatever order the object has its fields.
     */
    private def unshredded(stored: StoredValue, residual: ObjectHeader, row: Int): Array[Long] = {
      val dictionary = stored.dictionary.dictionary
      val entries = new Array[Long](residual.size)
      var size = 0
      var i = 0
      while (i < residual.size) {
        val id = dictionary.checkId(residual.id(i))
        val name = stored.dictionary.nameOfId(id)
        val field = if (name < 0) -1 else fieldOfName(name)
        if (field < 0 || keys.usesStoredForMissing && fields(field).isMissing(row)) {
          entries(size) = dictionary.ranks(id).toLong << 32 | i
          size += 1
        }
        i += 1
      }
      val sorted = if (size == entries.length) entries else java.util.Arrays.copyOf(entries, size)
      java.util.Arrays.sort(sorted)
      i = 1
      while (i < size) {
        if ((sorted(i) >> 32) == (sorted(i - 1) >> 32)) Encoding.malformed("it holds a key twice")
        i += 1
      }
      sorted
    }

    private def located[A](body: => A): A =
      try body
      catch { case e: MalformedVariant => throw Errors.malformedValue(cell.path, e.reason) }
  }
}
