/**
 * Writes one variant into the cells of a shape, directly from the variant's bytes into the leaves of a file.
 *
 * The fields that an object of the shape names go to their cells; the other fields go to `value`, an object
 * with the same ids. A value that a column cannot hold goes to `value`. All keys, shredded or not, stay in the
 * metadata, because ids refer to them; in the draft layout, each stored value has a dictionary of its own keys.
 *
 * Law (DraftLayout.keepsToShape): a stored value never contains the path of an inner cell. Beside a typed
 * object, `value` has only keys that the shape does not name. A value that is stored whole is not an object if
 * the cell has a typed object, and not an array if the cell has a typed array.
 *
 * Every leaf gets an entry for every row (or element): a value, or a null with the definition level of the
 * innermost group that is present. Both layouts have the same leaves in the same order, except for the metadata
 * and the names. The columns of a cell are optional; the cell is required in the current layout (`o` = 0) and
 * optional in the draft layout, where it takes one level (`o` = 1, [[WriteLayout.cellLevels]]):
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

/** `definition` and `repetition` are the maximum levels of the variant's group; `counts` is for its root. */
final class Shredder(
    shape: Shape,
    layout: WriteLayout,
    definition: Int,
    repetition: Int,
    counts: Option[PathCounts] = None
) {
  private val names = new Names(FieldLookup.namesOf(shape).distinct.toIndexedSeq)
  private val scratch = new Bytes(256)
  private val budget = new Budget(0)
  private val selfContained = if (layout.hasMetadata) null else new SelfContained(names)
  private var objects = 0
  private val root = CellShredder(shape, definition, repetition, counts, isRoot = true)
  private val dictionaries = new Dictionaries(names, objects)
  private var dictionary: ResolvedDictionary = _
  private var metadataLeaf: LeafWriter = _
  private var isCounted = false

  /** Sets the leaves of the variant's group, in the order of the file. */
  def prepare(leaves: Array[LeafWriter]): Unit = {
    if (layout.hasMetadata) metadataLeaf = leaves(0)
    val end = root.prepare(leaves, if (layout.hasMetadata) 1 else 0)
    assert(end == leaves.length, s"$end of ${leaves.length} leaves are used")
  }

  /** Writes one variant, whose group has the repetition level `r`, and counts its values if `isCounted`. */
  def write(metadata: Array[Byte], value: Array[Byte], r: Int, isCounted: Boolean = false): Unit = {
    this.isCounted = isCounted
    budget.reset(value.length)
    dictionary = dictionaries.resolve(metadata)
    if (layout.hasMetadata) {
      val forSpark = dictionary.dictionary.forSpark
      metadataLeaf.write(forSpark, 0, forSpark.length, r, definition)
    }
    root.write(value, 0, r)
  }

  /** Writes one cell; `valueLevel` is the definition level of its stored values. */
  private sealed abstract class CellShredder(valueLevel: Int, counts: Option[PathCounts]) {
    protected final val counted: PathCounts = counts.orNull
    protected var valueLeaf: LeafWriter = _

    /** The leaves below `typed_value`, or `typed_value` itself. */
    protected var typedLeaves: Array[LeafWriter] = _

    /** Sets the leaves of the cell, which start at `from`; returns the index after its last leaf. */
    def prepare(leaves: Array[LeafWriter], from: Int): Int = {
      valueLeaf = leaves(from)
      val end = prepareTyped(leaves, from + 1)
      typedLeaves = Arrays.copyOfRange(leaves, from + 1, end)
      end
    }

    protected def prepareTyped(leaves: Array[LeafWriter], from: Int): Int

    def write(bytes: Array[Byte], at: Int, r: Int): Unit

    /** Writes a null with the definition level `d` to each leaf of the cell. */
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

    /** Writes a value of another type than the columns below `typed_value`. */
    protected final def writeOther(bytes: Array[Byte], at: Int, r: Int): Unit = {
      if (isCounted) counted.count(bytes, at)
      writeValue(bytes, at, r)
      writeNoTyped(r, valueLevel - 1)
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
      if (Encoding.basicType(bytes, at) != Encoding.Array) writeOther(bytes, at, r)
      else {
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
      if (Encoding.basicType(bytes, at) != Encoding.Object) writeOther(bytes, at, r)
      else {
        if (isCounted) counted.countObject()
        Encoding.sizeOf(bytes, at)
        val header = new ObjectHeader(bytes, at)
        budget.take(header.length)
        val remembered = dictionary.fieldsOf(number)
        val keys = if (remembered != null && remembered.areOf(bytes, at)) remembered else lookUp(header)
        if (keys.others > 0) writeResidual(bytes, header, keys, r) else valueLeaf.writeNull(r, level)
        var i = 0
        while (i < keys.fields.length) {
          val field = keys.fields(i)
          if (field >= 0) cells(field).write(bytes, header.position(i), r)
          else if (isCounted) counted.countOther(header.id(i), bytes, header.position(i))
          i += 1
        }
        i = 0
        while (i < keys.missing.length) {
          cells(keys.missing(i)).writeMissing(r, level + 1)
          i += 1
        }
      }

    private def lookUp(header: ObjectHeader): ObjectFields = {
      val result = lookup(header, dictionary)
      dictionary.remember(number, result)
      result
    }

    private def writeResidual(bytes: Array[Byte], header: ObjectHeader, keys: ObjectFields, r: Int): Unit = {
      val size = keys.others
      val reorder = dictionary.dictionary.ordersMayDiffer
      val order =
        if (reorder) Array.range(0, header.size).sortBy(i => dictionary.dictionary.ranks(header.id(i)))
        else null
      if (ids.length < size) {
        ids = new Array[Int](size * 2)
        offsets = new Array[Int](size * 2)
      }
      val start = scratch.length
      var written = 0
      var n = 0
      while (n < header.size) {
        val i = if (reorder) order(n) else n
        if (keys.fields(i) < 0) {
          ids(written) = header.id(i)
          offsets(written) = scratch.length - start
          val position = header.position(i)
          if (reorder) Canonical.copy(dictionary.dictionary, bytes, position, scratch, budget)
          else {
            val size = Encoding.sizeOf(bytes, position)
            budget.take(size)
            scratch.put(bytes, position, size)
          }
          written += 1
        }
        n += 1
      }
      ValueWriter.closeObject(scratch, start, 0, size, ids, offsets)
      writeScratch(start, r)
    }
  }
}
