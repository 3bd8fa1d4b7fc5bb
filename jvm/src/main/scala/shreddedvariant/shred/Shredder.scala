/**
 * One value → the cells of a shape, straight from the variant's bytes into Parquet's record consumer.
 *
 * A shape's object takes the keys that it names; the others go to `value`, an object with the same ids. What a column
 * cannot hold goes to `value` as it stands. All keys stay in the metadata, shredded or not, since ids point there; in
 * the draft, each stored value takes its keys along.
 *
 * Law (DraftLayout.KeepsToShape): what is stored around a cell never holds the cell's path. Beside an object stand only
 * keys that its cell does not name, and a value stored whole is no object, or no array, where the cell has one.
 */
package shreddedvariant.shred

import java.util.Arrays

import org.apache.parquet.io.api.{Binary, RecordConsumer}
import shreddedvariant.binary.{ArrayHeader, Dictionaries, Encoding, Names, ObjectHeader, ResolvedDictionary}
import shreddedvariant.layout.{ParquetLayout, Shape, WriteLayout}

final class Shredder(shape: Shape, layout: WriteLayout = WriteLayout.Parquet) {
  import ParquetLayout.{Element, List, Metadata, MetadataIndex}

  private val names = new Names(Shredder.namesOf(shape).distinct.toIndexedSeq)
  private val dictionaries = new Dictionaries(names)
  private val scratch = new Bytes(256)
  private val selfContained = if (layout.hasMetadata) null else new SelfContained(names)
  private val root = CellShredder(shape)
  private var dictionary: ResolvedDictionary = _
  private var consumer: RecordConsumer = _

  def prepare(consumer: RecordConsumer): Unit = this.consumer = consumer

  /** Writes the group of one variant, from its start to its end. */
  def write(metadata: Array[Byte], value: Array[Byte]): Unit = {
    dictionary = dictionaries.resolve(metadata)
    consumer.startGroup()
    if (layout.hasMetadata)
      field(Metadata, MetadataIndex)(consumer.addBinary(Binary.fromReusedByteArray(metadata)))
    root.write(value, 0, layout.rootStart)
    consumer.endGroup()
  }

  /** Writes one cell; `start` is the index of its `value` in the group around it. */
  private sealed abstract class CellShredder {
    def write(bytes: Array[Byte], at: Int, start: Int): Unit

    protected def writeTyped(name: String, start: Int)(body: => Unit): Unit = field(name, start + 1)(body)

    protected def writeValue(bytes: Array[Byte], at: Int, start: Int): Unit =
      field(layout.value, start) {
        if (!Canonical.isOrdered(dictionary.dictionary, bytes, at)) {
          val from = scratch.length
          Canonical.copy(dictionary.dictionary, bytes, at, scratch)
          addScratch(from)
        } else
          addStored(bytes, at, Encoding.sizeOf(bytes, at))
      }
  }

  private object CellShredder {
    def apply(shape: Shape): CellShredder = shape match {
      case Shape.Untyped => new UntypedCell
      case Shape.Scalar(scalar) => new ScalarCell(ScalarShredder.of(scalar))
      case Shape.Array(element) => new ArrayCell(CellShredder(element))
      case Shape.Object(fields) => new ObjectCell(fields)
    }
  }

  private final class UntypedCell extends CellShredder {
    def write(bytes: Array[Byte], at: Int, start: Int): Unit = writeValue(bytes, at, start)
  }

  private final class ScalarCell(scalar: ScalarShredder) extends CellShredder {
    def write(bytes: Array[Byte], at: Int, start: Int): Unit =
      if (scalar.accepts(bytes, at)) writeTyped(layout.scalar, start)(scalar.add(consumer))
      else writeValue(bytes, at, start)
  }

  private final class ArrayCell(element: CellShredder) extends CellShredder {
    def write(bytes: Array[Byte], at: Int, start: Int): Unit =
      if (Encoding.basicType(bytes, at) != Encoding.Array) writeValue(bytes, at, start)
      else {
        Encoding.sizeOf(bytes, at)
        val array = new ArrayHeader(bytes, at)
        writeTyped(layout.array, start) {
          group {
            if (array.size > 0) field(List, 0) {
              var i = 0
              while (i < array.size) {
                val position = array.position(i)
                group(field(Element, 0)(group(element.write(bytes, position, 0))))
                i += 1
              }
            }
          }
        }
      }
  }

  private final class ObjectCell(fields: IndexedSeq[(String, Shape)]) extends CellShredder {
    private val keys = fields.map(_._1).toArray
    private val cells = fields.map(f => CellShredder(f._2)).toArray

    /** The field of each name, -1 for names that stand elsewhere in the shape. */
    private val fieldOfName = Array.fill(names.size)(-1)
    for (i <- keys.indices) {
      val key = Shape.utf8(keys(i))
      fieldOfName(names.find(key, 0, key.length)) = i
    }
    private val positions = new Array[Int](keys.length)

    def write(bytes: Array[Byte], at: Int, start: Int): Unit =
      if (Encoding.basicType(bytes, at) != Encoding.Object) writeValue(bytes, at, start)
      else {
        Encoding.sizeOf(bytes, at)
        val from = new ObjectHeader(bytes, at)
        Arrays.fill(positions, -1)
        var residual = 0
        var i = 0
        while (i < from.size) {
          val field = fieldOf(from.id(i))
          if (field < 0) residual += 1
          else if (positions(field) < 0) positions(field) = from.position(i)
          else Encoding.malformed(s"it holds the key '${keys(field)}' twice")
          i += 1
        }
        if (residual > 0) writeResidual(bytes, from, residual, start)
        // An object never holds itself, so the positions stay this object's own while its fields are written.
        writeTyped(layout.fields, start)(group {
          var i = 0
          while (i < cells.length) {
            if (positions(i) >= 0) field(keys(i), i)(group(cells(i).write(bytes, positions(i), 0)))
            i += 1
          }
        })
      }

    private def fieldOf(id: Int): Int = {
      val name = dictionary.nameOfId(dictionary.dictionary.checkId(id))
      if (name < 0) -1 else fieldOfName(name)
    }

    private def writeResidual(bytes: Array[Byte], from: ObjectHeader, size: Int, start: Int): Unit = {
      val reorder = dictionary.dictionary.ordersMayDiffer
      val order = if (reorder) ordered(from) else null
      val ids = new Array[Int](size)
      val offsets = new Array[Int](size)
      val begin = scratch.length
      var to = 0
      var n = 0
      while (n < from.size) {
        val i = if (reorder) order(n) else n
        val id = from.id(i)
        if (fieldOf(id) < 0) {
          ids(to) = id
          offsets(to) = scratch.length - begin
          val position = from.position(i)
          if (reorder) Canonical.copy(dictionary.dictionary, bytes, position, scratch)
          else scratch.put(bytes, position, Encoding.sizeOf(bytes, position))
          to += 1
        }
        n += 1
      }
      ValueWriter.closeObject(scratch, begin, 0, size, ids, offsets)
      field(layout.value, start)(addScratch(begin))
    }

    private def ordered(from: ObjectHeader): Array[Int] =
      Array.range(0, from.size).sortBy(i => dictionary.dictionary.ranks(from.id(i)))
  }

  private def addScratch(from: Int): Unit = {
    addStored(scratch.raw, from, scratch.length - from)
    scratch.clear()
  }

  private def addStored(bytes: Array[Byte], at: Int, length: Int): Unit = consumer.addBinary(
    if (layout.hasMetadata) Binary.fromReusedByteArray(bytes, at, length)
    else selfContained.binary(dictionary, bytes, at)
  )

  private def field(name: String, index: Int)(body: => Unit): Unit = {
    consumer.startField(name, index)
    body
    consumer.endField(name, index)
  }

  private def group(body: => Unit): Unit = {
    consumer.startGroup()
    body
    consumer.endGroup()
  }
}

object Shredder {
  private[shred] def namesOf(shape: Shape): Seq[String] = shape match {
    case Shape.Object(fields) => fields.flatMap { case (name, field) => name +: namesOf(field) }
    case Shape.Array(element) => namesOf(element)
    case _ => Nil
  }
}
