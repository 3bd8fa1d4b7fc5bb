/** What a path holds in single rows, as variants. */
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
 * Where a path ends in one file: at `cell`, with `rest` to be looked up in what the cell has stored; nothing is left
 * where the cell is the path's own. `hops` lead to the cell's row through the arrays on the way, each with the index
 * that is taken. An element of an array is never missing: where its columns are null it is a variant null.
 *
 * In the draft, `outer` is where to look if the cell is missing: what is stored in the next cell around it may hold the
 * rest of the path from there. `parts` tell where a cell that the path goes on from has typed parts: it is not missing
 * there, and nothing further out counts.
 */
final case class BoundPath(
    cell: CellVector,
    hops: Seq[(Lists, Int)],
    rest: Seq[PathStep],
    isElement: Boolean,
    parts: Option[Presence] = None,
    outer: Option[BoundPath] = None
) {

  /** Whether a row of the batch may have its value further out. */
  def mayStandOutside(rows: Int): Boolean = outer.exists { place =>
    val stored = place.cell.value
    stored != null && (place.hops.nonEmpty || stored.numNulls < rows) || place.mayStandOutside(rows)
  }

  def isMissing(at: Int): Boolean = cell.isMissing(at) && !parts.exists(_.isPresent(at))
}

/** Whether one of the parts is there, in row groups where that matters; elsewhere nobody reads their levels. */
final class PartPresence(parts: Seq[Presence], matters: RowGroup => Boolean) extends Presence with Assembled {
  private var isAsked = false

  override def open(group: RowGroup): Unit = isAsked = matters(group)
  override def assemble(rows: Int): Unit = ()
  override def isPresent(row: Int): Boolean = isAsked && parts.exists(_.isPresent(row))
}

/** Makes variants of what a cell holds. */
sealed abstract class CellVariants {

  /** What the row `at` of a cell has stored; it belongs to `row` of the batch. */
  def stored(cell: CellVector, at: Int, row: Int): VariantVal
  def rebuilt(at: Int, row: Int): VariantVal
}

/** Today's layout: keys are those of the row's metadata, which is looked at where the value may speak of some. */
final class RowVariants(cell: CellVector, metadata: ColumnVector, maxBytes: Int) extends CellVariants {
  private lazy val rebuilder = new RowRebuilder(cell, maxBytes)
  private val isScalar = cell.typed.forall(_.isInstanceOf[ScalarVector])

  override def stored(cell: CellVector, at: Int, row: Int): VariantVal = {
    val value = cell.value.getBinary(at)
    new VariantVal(value, if (PathLookup.hasParts(value)) metadata.getBinary(row) else Dictionary.noKeys)
  }

  override def rebuilt(at: Int, row: Int): VariantVal = {
    val keys = if (isScalar) Dictionary.noKeys else metadata.getBinary(row)
    new VariantVal(rebuilder.rebuild(at, keys), keys)
  }
}

/** The draft: each stored value has its own keys. */
final class DraftVariants(cell: CellVector, limits: VariantLimits) extends CellVariants {
  private lazy val rebuilder = new DraftRebuilder(cell, limits.maxBytes, limits.maxDepth)

  override def stored(cell: CellVector, at: Int, row: Int): VariantVal =
    DraftRebuilder.stored(cell, at, limits.maxBytes)
  override def rebuilt(at: Int, row: Int): VariantVal = rebuilder.rebuild(at)
}

final class PathLookup(
    place: BoundPath,
    variants: CellVariants,
    file: BatchPosition,
    isOuter: Boolean = false
) extends Presence {
  private val cell = place.cell
  private val hops = place.hops.toArray
  private val steps = place.rest.toArray
  private val keys = steps.map {
    case PathStep.Key(name) => Shape.utf8(name)
    case _: PathStep.Index => null
  }
  private val dictionaries = new Dictionaries(Names.none)
  private val outer = place.outer.map(new PathLookup(_, variants, file, isOuter = true))

  /** The row of the cell that belongs to a row of the batch; -1 where an array on the way is too short. */
  def cellRow(row: Int): Int = {
    var at = row
    var i = 0
    while (at >= 0 && i < hops.length) {
      val (lists, index) = hops(i)
      at = if (index < lists.length(at)) lists.start(at) + index else -1
      i += 1
    }
    at
  }

  /** The path's value in a row, null where it has none. */
  def find(row: Int): Variant = {
    val at = cellRow(row)
    if (at >= 0 && !place.isMissing(at)) file.guard(cell.path, row)(lookUp(whole(at, row)))
    else if (at >= 0 && place.isElement) lookUp(PathLookup.variantNull)
    else outer.fold(null: Variant)(_.find(row))
  }

  def variant(row: Int): VariantVal = {
    val found = find(row)
    new VariantVal(found.getValue, found.getMetadata)
  }

  override def isPresent(row: Int): Boolean = !place.isMissing(row) || outer.isDefined && find(row) != null

  /** What the cell holds, or has stored where the path goes on. */
  private def whole(at: Int, row: Int): VariantVal =
    if (steps.isEmpty && cell.hasTyped(at)) variants.rebuilt(at, row)
    else if (cell.hasStored(at)) {
      val stored = variants.stored(cell, at, row)
      if (isOuter && !PathLookup.hasParts(stored.getValue)) null else stored
    } else null

  /**
   * The rest of the path is looked up here: Spark searches large objects by the order of UTF-16, and finds keys beyond the
   * basic plane in no object that has the order of the specification.
   */
  private def lookUp(whole: VariantVal): Variant =
    if (whole == null) null
    else if (steps.isEmpty) new Variant(whole.getValue, whole.getMetadata)
    else {
      val bytes = whole.getValue
      var at = 0
      var i = 0
      while (at >= 0 && i < steps.length) {
        at = step(i, whole, at)
        i += 1
      }
      if (at < 0) null
      else
        new Variant(Arrays.copyOfRange(bytes, at, at + Encoding.sizeOf(bytes, at)), whole.getMetadata)
    }

  private def step(i: Int, whole: VariantVal, at: Int): Int = {
    val bytes = whole.getValue
    val kind = Encoding.basicType(bytes, at)
    steps(i) match {
      case _: PathStep.Key if kind == Encoding.Object =>
        val dictionary = dictionaries.resolve(whole.getMetadata).dictionary
        dictionary.find(new ObjectHeader(bytes, at), keys(i))
      case PathStep.Index(index) if kind == Encoding.Array =>
        val elements = new ArrayHeader(bytes, at)
        if (index >= 0 && index < elements.size) elements.position(index) else -1
      case _ => -1
    }
  }
}

private[parquet] object PathLookup {
  private val variantNull = new VariantVal(Array(0), Dictionary.noKeys)

  /** Of stored values only objects, and arrays, which may hold some, have parts and speak of keys. */
  def hasParts(value: Array[Byte]): Boolean = value.nonEmpty && {
    val kind = Encoding.basicType(value, 0)
    kind == Encoding.Object || kind == Encoding.Array
  }
}
