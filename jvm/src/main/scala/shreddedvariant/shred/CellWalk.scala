/**
 * Walks the cells of one row and tells a sink what the variant holds (specification: Reconstructing a Shredded Variant).
 *
 * Fields come in the order of their keys, whether they are shredded or stand in `value`. What the walk knows of
 * malformed cells is known nowhere else; what becomes of the values is the sink's affair.
 */
package shreddedvariant.shred

import shreddedvariant.Errors
import shreddedvariant.binary.{
  Dictionaries,
  Encoding,
  MalformedVariant,
  Names,
  ObjectHeader,
  ResolvedDictionary
}

/** Takes the parts of a variant in order. One sink is made for each node of the cells, and used again for each row. */
trait CellSink {
  def variantNull(): Unit

  /** A value as the column `value` of a cell has it. */
  def stored(cell: CellVector, row: Int): Unit

  /** A value within the bytes of an object, which the walk has looked through. */
  def stored(bytes: Array[Byte], at: Int): Unit

  def scalar(typed: ScalarVector): ScalarSink
  def fields(cell: CellVector, typed: ObjectVector): ObjectSink
  def elements(): ArraySink
}

trait ScalarSink {
  def put(row: Int): Unit
}

/** Between `open` and `close`, each field is announced before its value; `capacity` bounds the number of fields. */
trait ObjectSink {
  def open(capacity: Int): Unit
  def shredded(field: Int): Unit
  def residual(id: Int): Unit
  def close(): Unit
}

trait ArraySink {
  def open(size: Int): Unit
  def element(index: Int): Unit
  def close(): Unit
}

/** The keys of the row at hand: its dictionary, looked into only where somebody asks. */
final class RowKeys(root: CellVector) {
  val names = new Names(RowKeys.keysOf(root).distinct.toIndexedSeq)
  private val dictionaries = new Dictionaries(names)
  private var metadata: Array[Byte] = _
  private var resolved: ResolvedDictionary = _

  def use(bytes: Array[Byte]): Unit =
    if (bytes ne metadata) {
      metadata = bytes
      resolved = null
    }

  def dictionary: ResolvedDictionary = {
    if (resolved == null) resolved = dictionaries.resolve(metadata)
    resolved
  }

  def nameOf(key: String): Int = {
    val bytes = key.getBytes("UTF-8")
    names.find(bytes, 0, bytes.length)
  }
}

private object RowKeys {
  def keysOf(cell: CellVector): Seq[String] = cell.typed match {
    case fields: ObjectVector => fields.keys.toSeq ++ fields.cells.flatMap(keysOf)
    case array: ArrayVector => keysOf(array.element)
    case _ => Nil
  }
}

final class CellWalk(root: CellVector, keys: RowKeys, sink: CellSink) {
  private val rootNode = node(root)

  /** A root or an element of which both columns are null is a variant null. */
  def write(row: Int): Unit = writeOrNull(rootNode, row)

  private def writeOrNull(node: Node, row: Int): Unit =
    if (node.cell.isMissing(row)) sink.variantNull() else node.write(row)

  private def node(cell: CellVector): Node = cell.typed match {
    case null => new UntypedNode(cell)
    case scalar: ScalarVector => new ScalarNode(cell, scalar)
    case array: ArrayVector => new ArrayNode(cell, array)
    case fields: ObjectVector => new ObjectNode(cell, fields)
  }

  /** One cell, to be written where it is not missing. */
  private sealed abstract class Node(val cell: CellVector) {
    def write(row: Int): Unit

    protected def hasValue(row: Int): Boolean = cell.value != null && !cell.value.isNullAt(row)

    protected def refuseValueBeside(row: Int, what: String): Unit =
      if (hasValue(row)) throw Errors.conflict(cell.path, what)
  }

  private final class UntypedNode(cell: CellVector) extends Node(cell) {
    def write(row: Int): Unit = sink.stored(cell, row)
  }

  private final class ScalarNode(cell: CellVector, typed: ScalarVector) extends Node(cell) {
    private val out = sink.scalar(typed)

    def write(row: Int): Unit =
      if (typed.isNullAt(row)) sink.stored(cell, row)
      else {
        refuseValueBeside(row, "the typed value is no object")
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
        refuseValueBeside(row, "the typed value is an array")
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

  private final class ObjectNode(cell: CellVector, typed: ObjectVector) extends Node(cell) {
    private val fields = typed.cells.map(node)
    private val nameOf = typed.keys.map(keys.nameOf)
    private val isFieldName = {
      val flags = new Array[Boolean](keys.names.size)
      nameOf.foreach(flags(_) = true)
      flags
    }
    private val out = sink.fields(cell, typed)

    def write(row: Int): Unit =
      if (typed.isNullAt(row)) sink.stored(cell, row)
      else if (hasValue(row)) writeUnion(row, cell.value.getBinary(row))
      else {
        out.open(fields.length)
        var i = 0
        while (i < fields.length) {
          writeField(i, row)
          i += 1
        }
        out.close()
      }

    private def writeField(i: Int, row: Int): Unit = {
      val field = fields(i)
      if (!field.cell.isMissing(row)) {
        out.shredded(i)
        field.write(row)
      }
    }

    /** Shredded fields and those of `value` merged by the rank of their keys in the dictionary. */
    private def writeUnion(row: Int, bytes: Array[Byte]): Unit = {
      val residual = located(residualObject(bytes))
      val entries = located(unshredded(residual))
      val ranks = keys.dictionary.dictionary.ranks
      out.open(fields.length + entries.length)
      var entry = 0
      var i = 0
      while (i < fields.length) {
        // A key that is not in the dictionary stands in no row, or is refused where it is written.
        val id = keys.dictionary.idOfName(nameOf(i))
        while (id >= 0 && entry < entries.length && (entries(entry) >> 32) < ranks(id)) {
          writeEntry(residual, bytes, entries(entry).toInt)
          entry += 1
        }
        writeField(i, row)
        i += 1
      }
      while (entry < entries.length) {
        writeEntry(residual, bytes, entries(entry).toInt)
        entry += 1
      }
      out.close()
    }

    private def writeEntry(residual: ObjectHeader, bytes: Array[Byte], i: Int): Unit = located {
      out.residual(residual.id(i))
      sink.stored(bytes, residual.position(i))
    }

    private def residualObject(bytes: Array[Byte]): ObjectHeader = {
      if (Encoding.basicType(bytes, 0) != Encoding.Object)
        throw Errors.conflict(cell.path, "the value is no object")
      Encoding.sizeOf(bytes, 0)
      new ObjectHeader(bytes, 0)
    }

    /**
     * The fields of `value` as rank of the key and place in the object, in the order of keys, whatever order the object
     * has. A key that is shredded must not stand in `value`; where it does, the shredded columns count.
     */
    private def unshredded(residual: ObjectHeader): Array[Long] = {
      val dictionary = keys.dictionary.dictionary
      val entries = new Array[Long](residual.size)
      var size = 0
      var i = 0
      while (i < residual.size) {
        val id = dictionary.checkId(residual.id(i))
        val name = keys.dictionary.nameOfId(id)
        if (name < 0 || !isFieldName(name)) {
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
