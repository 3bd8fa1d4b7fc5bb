/** What a path holds in single rows, as variants. */
package shreddedvariant.parquet

import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.types.variant.Variant
import org.apache.spark.types.variant.VariantUtil.Type
import org.apache.spark.unsafe.types.VariantVal
import shreddedvariant.binary.{Dictionary, Encoding}
import shreddedvariant.layout.PathStep
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
final case class PathPlace(
    cell: CellVector,
    hops: Seq[(Lists, Int)],
    rest: Seq[PathStep],
    isElement: Boolean,
    parts: Option[Presence] = None,
    outer: Option[PathPlace] = None
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

final class PathLookup(place: PathPlace, variants: CellVariants, file: FilePlace, isOuter: Boolean = false)
    extends Presence {
  private val cell = place.cell
  private val hops = place.hops.toArray
  private val steps = place.rest.toArray
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

  private def lookUp(whole: VariantVal): Variant =
    if (whole == null) null
    else {
      var variant = new Variant(whole.getValue, whole.getMetadata)
      var i = 0
      while (variant != null && i < steps.length) {
        variant = steps(i) match {
          case PathStep.Key(key) => if (variant.getType == Type.OBJECT) variant.getFieldByKey(key) else null
          case PathStep.Index(index) =>
            if (variant.getType == Type.ARRAY) variant.getElementAtIndex(index) else null
        }
        i += 1
      }
      variant
    }
}

private object PathLookup {
  private val variantNull = new VariantVal(Array(0), Dictionary.noKeys)

  /** Of stored values only objects, and arrays, which may hold some, have parts and speak of keys. */
  def hasParts(value: Array[Byte]): Boolean = value.nonEmpty && {
    val kind = Encoding.basicType(value, 0)
    kind == Encoding.Object || kind == Encoding.Array
  }
}
