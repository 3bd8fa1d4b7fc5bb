/**
 * One value → the cells of a shape, straight from the variant's bytes into the leaves of a file.
 *
 * A shape's object takes the keys that it names; the others go to `value`, an object with the same ids. What a column
 * cannot hold goes to `value` as it stands. All keys stay in the metadata, shredded or not, since ids point there; in
 * the draft, each stored value takes its keys along.
 *
 * Law (DraftLayout.keepsToShape): what is stored around a cell never holds the cell's path. Beside an object stand only
 * keys that its cell does not name, and a value stored whole is no object, or no array, where the cell has one.
 *
 * Every leaf gets an entry for every row (or element): a value, or a null with the definition level up to which the
 * groups around it are there. Both layouts have the same leaves in the same order, but for the metadata and what they are
 * called. What a cell holds is optional; the cell is required in today's layout (`o` = 0) and optional in the draft, where
 * it takes a level of its own (`o` = 1, [[WriteLayout.cellLevels]]):
 * {{{
 *   cell (level d) | value (d + 1) | typed (d + 1) { field (d + 1 + o) … }
 *                                  | typed (d + 1) { list (d + 2, repeated) { element (d + 2 + o) … } }
 * }}}
 */
package shreddedvariant.shred

import java.util.Arrays

import shreddedvariant.binary.{
  ArrayHeader,
  Budget,
  Dictionaries,
  Encoding,
  Names,
  ObjectFields,
  ObjectHeader,
  PathCounts,
  ResolvedDictionary
}
import shreddedvariant.layout.{Shape, WriteLayout}

/** `definition` and `repetition` are the highest levels of the variant's group; `counts` are of the whole variant. */
final class Shredder(
    shape: Shape,
    layout: WriteLayout,
    definition: Int,
    repetition: Int,
    counts: Option[PathCounts] = None
) {
  private val names = new Names(Shredder.namesOf(shape).distinct.toIndexedSeq)
  private val scratch = new Bytes(256)
  private val budget = new Budget(0)
  private val selfContained = if (layout.hasMetadata) null else new SelfContained(names)
  private var objects = 0
  private val root = CellShredder(shape, definition, repetition, counts, isRoot = true)
  private val dictionaries = new Dictionaries(names, objects)
  private var dictionary: ResolvedDictionary = _
  private var metadataLeaf: LeafWriter = _
  private var isCounted = false

  /** Takes the leaves of the variant's group, in the order of the file. */
  def prepare(leaves: Array[LeafWriter]): Unit = {
    if (layout.hasMetadata) metadataLeaf = leaves(0)
    val end = root.prepare(leaves, if (layout.hasMetadata) 1 else 0)
    assert(end == leaves.length, s"$end of ${leaves.length} leaves are used")
  }

  /** Writes one variant, whose group begins with the repetition level `r`, and counts its values if they are to be. */
  def write(metadata: Array[Byte], value: Array[Byte], r: Int, isCounted: Boolean = false): Unit = {
    this.isCounted = isCounted
    budget.reset(value.length)
    dictionary = dictionaries.resolve(metadata)
    if (layout.hasMetadata) {
      val handedOn = dictionary.dictionary.handedOn
      metadataLeaf.write(handedOn, 0, handedOn.length, r, definition)
    }
    root.write(value, 0, r)
  }

  /** Writes one cell, which is there at the definition level `level`. */
  private sealed abstract class CellShredder(valueLevel: Int, counts: Option[PathCounts]) {
    protected final val counted: PathCounts = counts.orNull
    protected var valueLeaf: LeafWriter = _

    /** The leaves below `typed_value`, or `typed_value` itself. */
    protected var typedLeaves: Array[LeafWriter] = _

    /** Takes the cell's leaves from `leaves` and says where they end. */
    def prepare(leaves: Array[LeafWriter], from: Int): Int = {
      valueLeaf = leaves(from)
      val end = prepareTyped(leaves, from + 1)
      typedLeaves = Arrays.copyOfRange(leaves, from + 1, end)
      end
    }

    protected def prepareTyped(leaves: Array[LeafWriter], from: Int): Int

    def write(bytes: Array[Byte], at: Int, r: Int): Unit

    /** Nothing is here, and the groups around it end at the definition level `d`. */
    final def writeMissing(r: Int, d: Int): Unit = {
      valueLeaf.writeNull(r, d)
      writeNoTyped(r, d)
    }

    protected final def writeNoTyped(r: Int, d: Int): Unit = {
      var i = 0
      while (i < typedLeaves.length) {
        typedLeaves(i).writeNull(r, d)
        i += 1
      }
    }

    protected final def writeValue(bytes: Array[Byte], at: Int, r: Int): Unit =
      if (Canonical.isOrdered(dictionary.dictionary, bytes, at)) {
        val size = Encoding.sizeOf(bytes, at)
        budget.take(size)
        store(bytes, at, size, r)
      } else {
        val from = scratch.length
        Canonical.copy(dictionary.dictionary, bytes, at, scratch, budget)
        writeScratch(from, r)
      }

    protected final def writeScratch(from: Int, r: Int): Unit = {
      store(scratch.raw, from, scratch.length - from, r)
      scratch.clear()
    }

    private def store(bytes: Array[Byte], at: Int, length: Int, r: Int): Unit =
      if (layout.hasMetadata) valueLeaf.write(bytes, at, length, r, valueLevel)
      else {
        val whole = selfContained.whole(dictionary, bytes, at)
        valueLeaf.write(whole.raw, 0, whole.length, r, valueLevel)
      }
  }

  private object CellShredder {
    def apply(
        shape: Shape,
        level: Int,
        repetition: Int,
        counts: Option[PathCounts],
        isRoot: Boolean
    ): CellShredder = shape match {
      // The value of a variant without typed columns is required.
      case Shape.Untyped => new UntypedCell(if (isRoot) level else level + 1, counts)
      case Shape.Scalar(scalar) => new ScalarCell(ScalarShredder.of(scalar, budget), level, counts)
      case Shape.Array(element) => new ArrayCell(element, level, repetition, counts)
      case Shape.Object(fields) => new ObjectCell(fields, level, repetition, counts)
    }
  }

  private final class UntypedCell(valueLevel: Int, counts: Option[PathCounts])
      extends CellShredder(valueLevel, counts) {
    protected def prepareTyped(leaves: Array[LeafWriter], from: Int): Int = from
    def write(bytes: Array[Byte], at: Int, r: Int): Unit = {
      if (isCounted) counted.count(bytes, at)
      writeValue(bytes, at, r)
    }
  }

  private final class ScalarCell(scalar: ScalarShredder, level: Int, counts: Option[PathCounts])
      extends CellShredder(level + 1, counts) {
    private var typedLeaf: LeafWriter = _
    protected def prepareTyped(leaves: Array[LeafWriter], from: Int): Int = {
      typedLeaf = leaves(from)
      from + 1
    }
    def write(bytes: Array[Byte], at: Int, r: Int): Unit = {
      if (isCounted) counted.count(bytes, at)
      if (scalar.write(bytes, at, typedLeaf, r, level + 1)) valueLeaf.writeNull(r, level)
      else {
        writeValue(bytes, at, r)
        typedLeaf.writeNull(r, level)
      }
    }
  }

  private final class ArrayCell(shape: Shape, level: Int, repetition: Int, counts: Option[PathCounts])
      extends CellShredder(level + 1, counts) {
    private val element =
      CellShredder(
        shape,
        level + 2 + layout.cellLevels,
        repetition + 1,
        counts.map(_.element),
        isRoot = false
      )
    protected def prepareTyped(leaves: Array[LeafWriter], from: Int): Int = element.prepare(leaves, from)
    def write(bytes: Array[Byte], at: Int, r: Int): Unit =
      if (Encoding.basicType(bytes, at) != Encoding.Array) {
        if (isCounted) counted.count(bytes, at)
        writeValue(bytes, at, r)
        writeNoTyped(r, level)
      } else {
        if (isCounted) counted.countArray()
        Encoding.sizeOf(bytes, at)
        valueLeaf.writeNull(r, level)
        val array = new ArrayHeader(bytes, at)
        budget.take(array.length)
        if (array.size == 0) element.writeMissing(r, level + 1)
        else element.write(bytes, array.position(0), r)
        var i = 1
        while (i < array.size) {
          element.write(bytes, array.position(i), repetition + 1)
          i += 1
        }
      }
  }

  private final class ObjectCell(
      fields: IndexedSeq[(String, Shape)],
      level: Int,
      repetition: Int,
      counts: Option[PathCounts]
  ) extends CellShredder(level + 1, counts) {
    private val cells = fields.map { case (key, field) =>
      val countsOfField = counts.map(_.field(Shape.utf8(key)))
      CellShredder(field, level + 1 + layout.cellLevels, repetition, countsOfField, isRoot = false)
    }.toArray

    private val lookup = new FieldLookup(fields.map(_._1).toArray, names)
    private val number = objects
    objects += 1
    private var ids = new Array[Int](16)
    private var offsets = new Array[Int](16)

    protected def prepareTyped(leaves: Array[LeafWriter], from: Int): Int =
      cells.foldLeft(from)((at, cell) => cell.prepare(leaves, at))

    def write(bytes: Array[Byte], at: Int, r: Int): Unit =
      if (Encoding.basicType(bytes, at) != Encoding.Object) {
        if (isCounted) counted.count(bytes, at)
        writeValue(bytes, at, r)
        writeNoTyped(r, level)
      } else {
        if (isCounted) counted.countObject()
        Encoding.sizeOf(bytes, at)
        val from = new ObjectHeader(bytes, at)
        budget.take(from.length)
        val met = dictionary.fieldsOf(number)
        val keysOf = if (met != null && met.areOf(bytes, at)) met else lookedUp(from)
        if (keysOf.others > 0) writeResidual(bytes, from, keysOf, r) else valueLeaf.writeNull(r, level)
        var i = 0
        while (i < keysOf.fields.length) {
          val field = keysOf.fields(i)
          if (field >= 0) cells(field).write(bytes, from.position(i), r)
          else if (isCounted) counted.countOther(from.id(i), bytes, from.position(i))
          i += 1
        }
        i = 0
        while (i < keysOf.missing.length) {
          cells(keysOf.missing(i)).writeMissing(r, level + 1)
          i += 1
        }
      }

    private def lookedUp(from: ObjectHeader): ObjectFields = {
      val found = lookup(from, dictionary)
      dictionary.remember(number, found)
      found
    }

    private def writeResidual(bytes: Array[Byte], from: ObjectHeader, keysOf: ObjectFields, r: Int): Unit = {
      val size = keysOf.others
      val reorder = dictionary.dictionary.ordersMayDiffer
      val order =
        if (reorder) Array.range(0, from.size).sortBy(i => dictionary.dictionary.ranks(from.id(i))) else null
      if (ids.length < size) {
        ids = new Array[Int](size * 2)
        offsets = new Array[Int](size * 2)
      }
      val begin = scratch.length
      var to = 0
      var n = 0
      while (n < from.size) {
        val i = if (reorder) order(n) else n
        if (keysOf.fields(i) < 0) {
          ids(to) = from.id(i)
          offsets(to) = scratch.length - begin
          val position = from.position(i)
          if (reorder) Canonical.copy(dictionary.dictionary, bytes, position, scratch, budget)
          else {
            val size = Encoding.sizeOf(bytes, position)
            budget.take(size)
            scratch.put(bytes, position, size)
          }
          to += 1
        }
        n += 1
      }
      ValueWriter.closeObject(scratch, begin, 0, size, ids, offsets)
      writeScratch(begin, r)
    }
  }
}

object Shredder {
  private[shred] def namesOf(shape: Shape): Seq[String] = shape match {
    case Shape.Object(fields) => fields.flatMap { case (name, field) => name +: namesOf(field) }
    case Shape.Array(element) => namesOf(element)
    case _ => Nil
  }
}
