/**
 * Gives one path of a variant as a column: its typed leaf unchanged or converted, with the values of residuals
 * added.
 *
 * The cell of the path is resolved once for a file ([[BoundPath]]). A batch without stored values costs only
 * its typed leaf. Else each row without a typed value is read as a variant and converted by Spark's own cast.
 */
package shreddedvariant.parquet.vector

import org.apache.spark.sql.catalyst.expressions.variant.{VariantCastArgs, VariantGet}
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.types.variant.VariantUtil.Type
import org.apache.spark.unsafe.types.VariantVal
import shreddedvariant.shred.ScalarVector
import shreddedvariant.stats.ScalarCast

final class PathExtraction(
    path: BoundPath,
    lookup: PathLookup,
    target: DataType,
    zone: Option[String],
    position: BatchPosition,
    vectors: VectorAllocator
) extends Assembled
    with FailedRows {
  private val cell = path.cell
  private val typed = cell.typed.collectFirst { case scalar: ScalarVector if path.rest.isEmpty => scalar }
  private val isMixed = cell.typed.length > 1
  private val isIdentity =
    typed.exists(t => ScalarConversion.isIdentity(t.scalar, target)) && path.hops.isEmpty
  private val copy = if (isIdentity) BatchCopy.of(target) else None
  private val arguments = VariantCastArgs(
    failOnError = false,
    zone,
    DateTimeUtils.getZoneId(zone.getOrElse("UTC"))
  )
  private val scalarCast = new ScalarCast(target, arguments)
  private val conversion = typed.flatMap(t => ScalarConversion.find(t.scalar, target, scalarCast))

  private lazy val converted: WritableColumnVector = vectors.allocate(VectorType(target))
  private lazy val scalarWriter = new RowAppender(target)
  private var current: ColumnVector = _
  private var failed = new Array[Boolean](0)
  private var anyFailed = false
  private var isStrict = false
  private var mayBeOutside = false

  val values: ReadColumn = new ReadColumn { override def vector: ColumnVector = current }

  /** The variants whose cast failed, for which a strict cast raises an error. */
  def failures: ReadColumn = {
    isStrict = true
    new FixedColumn(new FailureVector(this))
  }

  /** The values; a row whose cast failed raises Spark's error when it is read. */
  def raising: ReadColumn = {
    isStrict = true
    new ReadColumn {
      override def vector: ColumnVector =
        if (anyFailed) new RaisingVector(current, PathExtraction.this) else current
    }
  }

  override def hasFailed(row: Int): Boolean = anyFailed && failed(row)

  override def failedValue(row: Int): VariantVal = lookup.find(row) match {
    case null => null
    case variant => VariantGet.cast(variant, VariantType, arguments).asInstanceOf[VariantVal]
  }

  override def raise(row: Int): Unit = position.guard(cell.path, row) {
    VariantGet.cast(
      lookup.find(row),
      target,
      VariantCastArgs(failOnError = true, arguments.zoneStr, arguments.zoneId)
    )
  }

  override def assemble(rows: Int): Unit = {
    if (anyFailed) java.util.Arrays.fill(failed, false)
    anyFailed = false
    mayBeOutside = path.mayBeOutside(rows)
    current =
      if (isIdentity && !mayHaveOtherValues(rows)) typed.get.vector
      else {
        converted.reset()
        if (copy.isDefined) copyAndPatch(rows) else if (conversion.isDefined) convert(rows) else castAll(rows)
        converted
      }
  }

  /** Whether rows of the batch may have values outside of the typed leaf. */
  private def mayHaveOtherValues(rows: Int): Boolean =
    cell.value != null && cell.value.numNulls < rows || isMixed || mayBeOutside

  /** Whether the row `cellRow` of the cell, whose typed leaf is null, has no value elsewhere. */
  private def isEmpty(cellRow: Int): Boolean =
    !mayBeOutside && !isMixed && (cell.value == null || cell.value.isNullAt(cellRow))

  private def copyAndPatch(rows: Int): Unit = {
    val from = typed.get.vector
    converted.reserve(rows)
    copy.get(from, converted, rows)
    var row = 0
    while (row < rows) {
      if (from.isNullAt(row)) if (isEmpty(row)) converted.putNull(row) else patch(row)
      row += 1
    }
  }

  private def convert(rows: Int): Unit = {
    val from = typed.get.vector
    val scalarConversion = conversion.get
    converted.reserve(rows)
    var row = 0
    while (row < rows) {
      val cellRow = lookup.cellRow(row)
      if (cellRow < 0) if (mayBeOutside) patch(row) else converted.putNull(row)
      else if (from.isNullAt(cellRow)) {
        if (isEmpty(cellRow)) converted.putNull(row) else patch(row)
      } else if (!scalarConversion.convert(from, cellRow, converted, row)) {
        converted.putNull(row)
        fail(row, rows)
      }
      row += 1
    }
  }

  /** Writes the value of a row that the typed leaf does not have. */
  private def patch(row: Int): Unit = {
    val value = cast(row)
    if (value == null) converted.putNull(row) else ScalarPut(converted, row, value, target)
  }

  private def castAll(rows: Int): Unit = {
    var row = 0
    while (row < rows) {
      scalarWriter.append(cast(row), converted)
      row += 1
    }
  }

  /**
   * The value from Spark's own cast. Null if the cast fails, which is noted, or if the path has no value or a
   * variant null. A part that cannot be cast is null, and is a failure only for a strict cast.
   */
  private def cast(row: Int): Any = lookup.find(row) match {
    case null => null
    case variant => position.guard(cell.path, row) {
        if (ScalarCast.isScalar(target)) {
          val value = scalarCast(variant)
          if (value == null && variant.getType != Type.NULL) fail(row, row + 1)
          value
        } else {
          val value = VariantGet.cast(variant, target, arguments)
          if (isStrict && FailedParts.has(variant, value, target)) fail(row, row + 1)
          value
        }
      }
  }

  private def fail(row: Int, rows: Int): Unit = {
    if (failed.length <= row) failed = java.util.Arrays.copyOf(failed, math.max(rows, vectors.capacity))
    failed(row) = true
    anyFailed = true
  }
}
