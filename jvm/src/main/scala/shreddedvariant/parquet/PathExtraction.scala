/**
 * One path of a variant as a column: handed on from its typed leaf, converted, or patched from residuals.
 *
 * Where the path leads is decided once for a file ([[PathPlace]]). A batch whose residual is all null costs nothing
 * more than its typed leaf; otherwise rows that are residual go through a variant and Spark's own cast, one by one.
 */
package shreddedvariant.parquet

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.expressions.variant.{VariantCastArgs, VariantGet}
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.types.variant.Variant
import org.apache.spark.types.variant.VariantUtil.Type
import org.apache.spark.unsafe.types.VariantVal
import shreddedvariant.binary.{Dictionary, Encoding}
import shreddedvariant.SparkBridge
import shreddedvariant.layout.PathStep
import shreddedvariant.shred.{CellVector, Lists, Rebuilder, ScalarVector}

/**
 * Where a path ends in one file: at `cell`, with `rest` to be looked up in what the cell's residual holds; nothing is
 * left where the cell is the path's own. `hops` lead to the cell's row through the arrays on the way, each with the
 * index that is taken. An element of an array is never missing: where its columns are null it is a variant null.
 */
final case class PathPlace(cell: CellVector, hops: Seq[(Lists, Int)], rest: Seq[PathStep], isElement: Boolean)

final class PathExtraction(
    place: PathPlace,
    metadata: ColumnVector,
    target: DataType,
    zone: Option[String],
    file: FilePlace,
    maxBytes: Int,
    vectors: VectorAllocator
) extends Assembled {
  private val cell = place.cell
  private val typed = Option(cell.typed).collect { case scalar: ScalarVector if place.rest.isEmpty => scalar }
  private val isIdentity =
    typed.exists(t => ScalarConversion.isIdentity(t.scalar, target)) && place.hops.isEmpty
  private val copy = if (isIdentity) BatchCopy.of(target) else None
  private val arguments = VariantCastArgs(
    failOnError = false,
    zone,
    DateTimeUtils.getZoneId(zone.getOrElse("UTC"))
  )
  private val scalarCast = new ScalarCast(target, arguments)
  private val conversion = typed.flatMap(t => ScalarConversion.find(t.scalar, target, scalarCast))
  private val steps = place.rest.toArray

  private lazy val own: WritableColumnVector = vectors.allocate(Physical(target))
  private lazy val scalarWriter = new RowAppender(target)
  private lazy val rebuilder = new Rebuilder(cell, maxBytes)
  private var current: ColumnVector = _
  private var failed = new Array[Boolean](0)
  private var anyFailed = false

  val values: ReadColumn = new ReadColumn { override def vector: ColumnVector = current }

  /** The variants that did not become values, and may have raised. */
  val failures: ReadColumn = new FixedColumn(new FailureVector(this))

  /** The values, where the rows that failed raise what Spark raises for them. */
  val raising: ReadColumn = new ReadColumn {
    override def vector: ColumnVector =
      if (anyFailed) new RaisingVector(current, PathExtraction.this) else current
  }

  def hasFailed(row: Int): Boolean = anyFailed && failed(row)

  def failedValue(row: Int): VariantVal = variantAt(cellRow(row)) match {
    case null => null
    case whole => VariantGet.cast(lookUp(whole), VariantType, arguments).asInstanceOf[VariantVal]
  }

  def raise(row: Int): Unit = {
    val found = lookUp(variantAt(cellRow(row)))
    VariantGet.cast(found, target, VariantCastArgs(failOnError = true, arguments.zoneStr, arguments.zoneId))
  }

  override def assemble(rows: Int): Unit = {
    if (anyFailed) java.util.Arrays.fill(failed, false)
    anyFailed = false
    current =
      if (isIdentity && !hasResidual(rows)) typed.get.vector
      else {
        own.reset()
        if (copy.isDefined) copyAndPatch(rows) else if (conversion.isDefined) convert(rows) else castAll(rows)
        own
      }
  }

  private def hasResidual(rows: Int): Boolean = cell.value != null && cell.value.numNulls < rows

  private def copyAndPatch(rows: Int): Unit = {
    val from = typed.get.vector
    own.reserve(rows)
    copy.get(from, own, rows)
    var row = 0
    while (row < rows) {
      if (from.isNullAt(row)) if (cell.value.isNullAt(row)) own.putNull(row) else patch(row, row)
      row += 1
    }
  }

  private def convert(rows: Int): Unit = {
    val from = typed.get.vector
    val to = conversion.get
    own.reserve(rows)
    var row = 0
    while (row < rows) {
      val at = cellRow(row)
      if (at < 0) own.putNull(row)
      else if (from.isNullAt(at)) {
        if (cell.value == null || cell.value.isNullAt(at)) own.putNull(row) else patch(row, at)
      } else if (!to.convert(from, at, own, row)) {
        own.putNull(row)
        fail(row, rows)
      }
      row += 1
    }
  }

  /** Puts the value of one residual row among the converted ones. */
  private def patch(row: Int, at: Int): Unit = {
    val value = cast(row, at)
    if (value == null) own.putNull(row) else ScalarPut(own, row, value, target)
  }

  private def castAll(rows: Int): Unit = {
    var row = 0
    while (row < rows) {
      val at = cellRow(row)
      scalarWriter.append(if (at < 0) null else cast(row, at), own)
      row += 1
    }
  }

  /** The value by Spark's own cast; null where it gives none, noted as a failure unless the path has no value or null. */
  private def cast(row: Int, at: Int): Any = variantAt(at) match {
    case null => null
    case whole =>
      file.guard(cell.path, at) {
        val found = lookUp(whole)
        val value =
          if (found == null) null
          else if (ScalarCast.isScalar(target)) scalarCast(found)
          else VariantGet.cast(found, target, arguments)
        if (value == null && found != null && found.getType != Type.NULL) fail(row, row + 1)
        value
      }
  }

  private def lookUp(whole: VariantVal): Variant = {
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

  /** What the cell holds in its own row, as a variant; null where it is missing. */
  private def variantAt(at: Int): VariantVal =
    if (at < 0) null
    else if (cell.isMissing(at)) if (place.isElement) PathExtraction.variantNull else null
    else file.guard(cell.path, at) {
      if (isStored(at)) {
        val value = cell.value.getBinary(at)
        new VariantVal(value, if (hasKeys(value)) metadata.getBinary(rowOf(at)) else Dictionary.noKeys)
      } else {
        val keys = if (typed.isEmpty) metadata.getBinary(rowOf(at)) else Dictionary.noKeys
        new VariantVal(rebuilder.rebuild(at, keys), keys)
      }
    }

  /** Whether the value stands in `value` as it is. */
  private def isStored(at: Int) = place.rest.nonEmpty || typed.exists(_.isNullAt(at))

  /** Of stored values only objects, and arrays, which may hold some, speak of keys. */
  private def hasKeys(value: Array[Byte]) =
    value.nonEmpty && {
      val kind = Encoding.basicType(value, 0)
      kind == Encoding.Object || kind == Encoding.Array
    }

  private var lastRow = 0
  private def rowOf(at: Int): Int = if (place.hops.isEmpty) at else lastRow

  /** The row of the cell that belongs to a row of the batch; -1 where an array on the way is too short. */
  private def cellRow(row: Int): Int = {
    lastRow = row
    var at = row
    val hops = place.hops.iterator
    while (at >= 0 && hops.hasNext) {
      val (lists, index) = hops.next()
      at = if (index < lists.length(at)) lists.start(at) + index else -1
    }
    at
  }

  private def fail(row: Int, rows: Int): Unit = {
    if (failed.length <= row) failed = java.util.Arrays.copyOf(failed, math.max(rows, vectors.capacity))
    failed(row) = true
    anyFailed = true
  }
}

object PathExtraction {

  private val variantNull = new VariantVal(Array(0), Dictionary.noKeys)
}

/** Appends one value after the other to a vector, of any type: Spark's own converter, fed with rows of one column. */
private final class RowAppender(target: DataType) {
  private val row = new GenericInternalRow(1)
  private val vectors = new Array[WritableColumnVector](1)
  private val converter =
    SparkBridge.rowConverter(new StructType().add("value", Physical(target), nullable = true))

  def append(value: Any, to: WritableColumnVector): Unit = {
    row.update(0, value)
    vectors(0) = to
    converter.accept(row: InternalRow, vectors)
  }
}

/** Puts one scalar into a vector. */
private object ScalarPut {
  import org.apache.spark.unsafe.types.UTF8String

  def apply(to: WritableColumnVector, row: Int, value: Any, target: DataType): Unit = (value, target) match {
    case (v: Boolean, _) => to.putBoolean(row, v)
    case (v: Byte, _) => to.putByte(row, v)
    case (v: Short, _) => to.putShort(row, v)
    case (v: Int, _) => to.putInt(row, v)
    case (v: Long, _) => to.putLong(row, v)
    case (v: Float, _) => to.putFloat(row, v)
    case (v: Double, _) => to.putDouble(row, v)
    case (v: UTF8String, _) => to.putByteArray(row, v.getBytes); ()
    case (v: Array[Byte], _) => to.putByteArray(row, v); ()
    case (v: Decimal, decimal: DecimalType) => to.putDecimal(row, v, decimal.precision)
    case (v, other) => throw new IllegalStateException(s"no scalar of type $other: ${v.getClass}")
  }
}
