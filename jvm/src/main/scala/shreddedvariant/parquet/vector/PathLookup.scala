/** Finds the value of a path in single rows, as a variant. */
package shreddedvariant.parquet.vector

import java.util.Arrays

import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.types.variant.Variant
import org.apache.spark.unsafe.types.VariantVal
import shreddedvariant.binary.{ArrayHeader, Dictionaries, Dictionary, Encoding, Names, ObjectHeader}
import shreddedvariant.layout.{PathStep, Shape}
import shreddedvariant.parquet.file.RowGroup
import shreddedvariant.shred._

/**
 * The end of a path in one file: the last cell, `cell`, and the steps after it, `rest`, which are looked up in
 * the stored value of the cell. `rest` is empty if the cell is the path's own. `hops` are the arrays on the
 * path, each with the index of the element; they lead from a row of the batch to a row of the cell. An element
 * of an array is never missing: if all its columns are null, the element is a variant null.
 *
 * In the draft layout, `outer` is used if the cell is missing: the stored value of the next enclosing cell may
 * have the rest of the path. `parts` is the presence of the typed parts of a cell with a `rest`: where they are
 * present, the cell is not missing, and `outer` is not used.
 */
final case class BoundPath(
    cell: CellVector,
    hops: Seq[(Lists, Int)],
    rest: Seq[PathStep],
    isElement: Boolean,
    parts: Option[Presence] = None,
    outer: Option[BoundPath] = None
) {

  /** Whether a row of the batch may have its value in an enclosing cell. */
  def mayBeOutside(rows: Int): Boolean = outer.exists { path =>
    val stored = path.cell.value
    stored != null && (path.hops.nonEmpty || stored.numNulls < rows) || path.mayBeOutside(rows)
  }

  def isMissing(cellRow: Int): Boolean = cell.isMissing(cellRow) && !parts.exists(_.isPresent(cellRow))
}

/**
 * Whether one of the parts is present, in row groups that match `matters`; in other row groups levels are not
 * read.
 */
final class PartPresence(parts: Seq[Presence], matters: RowGroup => Boolean) extends Presence with Assembled {
  private var isRead = false

  override def open(group: RowGroup): Unit = isRead = matters(group)
  override def assemble(rows: Int): Unit = ()
  override def isPresent(row: Int): Boolean = isRead && parts.exists(_.isPresent(row))
}

/** Creates variants from the columns of a cell. */
sealed abstract class CellVariants {

  /** The stored value in row `cellRow` of a cell, which belongs to the row `row` of the batch. */
  def stored(cell: CellVector, cellRow: Int, row: Int): VariantVal
  def rebuilt(cellRow: Int, row: Int): VariantVal
}

/** The current layout: keys are in the row's metadata, which is only read if the value may refer to keys. */
final class RowVariants(cell: CellVector, metadata: ColumnVector, maxBytes: Int) extends CellVariants {
  private lazy val rebuilder = new RowRebuilder(cell, maxBytes)
  private val isScalar = cell.typed.forall(_.isInstanceOf[ScalarVector])

  override def stored(cell: CellVector, cellRow: Int, row: Int): VariantVal = {
    val value = cell.value.getBinary(cellRow)
    new VariantVal(value, if (PathLookup.hasParts(value)) metadata.getBinary(row) else Dictionary.noKeys)
  }

  override def rebuilt(cellRow: Int, row: Int): VariantVal = {
    val keys = if (isScalar) Dictionary.noKeys else metadata.getBinary(row)
    new VariantVal(rebuilder.rebuild(cellRow, keys), keys)
  }
}

/** The draft layout: each stored value has its own keys. */
final class DraftVariants(cell: CellVector, limits: VariantLimits) extends CellVariants {
  private lazy val rebuilder = new DraftRebuilder(cell, limits.maxBytes, limits.maxDepth)

  override def stored(cell: CellVector, cellRow: Int, row: Int): VariantVal =
    DraftRebuilder.stored(cell, cellRow, limits.maxBytes)
  override def rebuilt(cellRow: Int, row: Int): VariantVal = rebuilder.rebuild(cellRow)
}

final class PathLookup(
    path: BoundPath,
    variants: CellVariants,
    position: BatchPosition,
    isOuter: Boolean = false
) extends Presence {
  private val cell = path.cell
  private val hops = path.hops.toArray
  private val steps = path.rest.toArray
  private val keys = steps.map {
    case PathStep.Key(name) => Shape.utf8(name)
    case _: PathStep.Index => null
  }
  private val dictionaries = new Dictionaries(Names.none)
  private val outer = path.outer.map(new PathLookup(_, variants, position, isOuter = true))

  /** The row of the cell that belongs to a row of the batch; -1 if an array on the path is too short. */
  def cellRow(row: Int): Int = {
    var current = row
    var i = 0
    while (current >= 0 && i < hops.length) {
      val (lists, index) = hops(i)
      current = if (index < lists.length(current)) lists.start(current) + index else -1
      i += 1
    }
    current
  }

  /** The path's value in a row; null if the row does not have the path. */
  def find(row: Int): Variant = {
    val inCell = cellRow(row)
    if (inCell >= 0 && !path.isMissing(inCell)) position.guard(cell.path, row)(lookUp(whole(inCell, row)))
    else if (inCell >= 0 && path.isElement) lookUp(PathLookup.variantNull)
    else outer.fold(null: Variant)(_.find(row))
  }

  def variant(row: Int): VariantVal = {
    val value = find(row)
    new VariantVal(value.getValue, value.getMetadata)
  }

  override def isPresent(row: Int): Boolean = !path.isMissing(row) || outer.isDefined && find(row) != null

  /** The value of the cell, or its stored value if the path continues. */
  private def whole(inCell: Int, row: Int): VariantVal =
    if (steps.isEmpty && cell.hasTyped(inCell)) variants.rebuilt(inCell, row)
    else if (cell.hasStored(inCell)) {
      val stored = variants.stored(cell, inCell, row)
      if (isOuter && !PathLookup.hasParts(stored.getValue)) null else stored
    } else null

  /**
   * Looks up the rest of the path, without Spark's lookup: Spark searches large objects in UTF-16 order, and
   * misses keys beyond the Basic Multilingual Plane in objects in the order of the specification.
   */
  private def lookUp(whole: VariantVal): Variant =
    if (whole == null) null
    else if (steps.isEmpty) new Variant(whole.getValue, whole.getMetadata)
    else {
      val bytes = whole.getValue
      var offset = 0
      var i = 0
      while (offset >= 0 && i < steps.length) {
        offset = step(i, whole, offset)
        i += 1
      }
      if (offset < 0) null
      else
        new Variant(
          Arrays.copyOfRange(bytes, offset, offset + Encoding.sizeOf(bytes, offset)),
          whole.getMetadata
        )
    }

  private def step(i: Int, whole: VariantVal, offset: Int): Int = {
    val bytes = whole.getValue
    val kind = Encoding.basicType(bytes, offset)
    steps(i) match {
      case _: PathStep.Key if kind == Encoding.Object =>
        val dictionary = dictionaries.resolve(whole.getMetadata).dictionary
        dictionary.find(new ObjectHeader(bytes, offset), keys(i))
      case PathStep.Index(index) if kind == Encoding.Array =>
        val elements = new ArrayHeader(bytes, offset)
        if (index >= 0 && index < elements.size) elements.position(index) else -1
      case _ => -1
    }
  }
}

private[parquet] object PathLookup {
  private val variantNull = new VariantVal(Array(0), Dictionary.noKeys)

  /**
   * Whether a stored value has parts and may refer to keys: only objects, and arrays, which may contain
   * objects.
   */
  def hasParts(value: Array[Byte]): Boolean = value.nonEmpty && {
    val kind = Encoding.basicType(value, 0)
    kind == Encoding.Object || kind == Encoding.Array
  }
}
