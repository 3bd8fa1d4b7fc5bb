/**
 * One path of a variant as a column: handed on from its typed leaf, converted, or patched from residuals.
 *
 * Where the path leads is decided once for a file ([[BoundPath]]). A batch in which nothing is stored costs nothing more than
 * its typed leaf; otherwise rows that have no typed value go through a variant and Spark's own cast, one by one.
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
    place: BoundPath,
    lookup: PathLookup,
    target: DataType,
    zone: Option[String],
    file: BatchPosition,
    vectors: VectorAllocator
) extends Assembled
    with FailedRows {
  private val cell = place.cell
  private val typed = cell.typed.collectFirst { case scalar: ScalarVector if place.rest.isEmpty => scalar }
  private val isMixed = cell.typed.length > 1
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

  private lazy val own: WritableColumnVector = vectors.allocate(VectorType(target))
  private lazy val scalarWriter = new RowAppender(target)
  private var current: ColumnVector = _
  private var failed = new Array[Boolean](0)
  private var anyFailed = false
  private var mayStandOutside = false

  val values: ReadColumn = new ReadColumn { override def vector: ColumnVector = current }

  /** The variants that did not become values, and may have raised. */
  val failures: ReadColumn = new FixedColumn(new FailureVector(this))

  /** The values, where the rows that failed raise what Spark raises for them. */
  val raising: ReadColumn = new ReadColumn {
    override def vector: ColumnVector =
      if (anyFailed) new RaisingVector(current, PathExtraction.this) else current
  }

  override def hasFailed(row: Int): Boolean = anyFailed && failed(row)

  override def failedValue(row: Int): VariantVal = lookup.find(row) match {
    case null => null
    case found => VariantGet.cast(found, VariantType, arguments).asInstanceOf[VariantVal]
  }

  override def raise(row: Int): Unit = file.guard(cell.path, row) {
    VariantGet.cast(
      lookup.find(row),
      target,
      VariantCastArgs(failOnError = true, arguments.zoneStr, arguments.zoneId)
    )
  }

  override def assemble(rows: Int): Unit = {
    if (anyFailed) java.util.Arrays.fill(failed, false)
    anyFailed = false
    mayStandOutside = place.mayStandOutside(rows)
    current =
      if (isIdentity && !mayStandElsewhere(rows)) typed.get.vector
      else {
        own.reset()
        if (copy.isDefined) copyAndPatch(rows) else if (conversion.isDefined) convert(rows) else castAll(rows)
        own
      }
  }

  /** Whether rows of the batch may have their values elsewhere than in the typed leaf. */
  private def mayStandElsewhere(rows: Int): Boolean =
    cell.value != null && cell.value.numNulls < rows || isMixed || mayStandOutside

  /** Whether the row at `at`, whose typed leaf is null, has its value nowhere else. */
  private def isEmpty(at: Int): Boolean =
    !mayStandOutside && !isMixed && (cell.value == null || cell.value.isNullAt(at))

  private def copyAndPatch(rows: Int): Unit = {
    val from = typed.get.vector
    own.reserve(rows)
    copy.get(from, own, rows)
    var row = 0
    while (row < rows) {
      if (from.isNullAt(row)) if (isEmpty(row)) own.putNull(row) else patch(row)
      row += 1
    }
  }

  private def convert(rows: Int): Unit = {
    val from = typed.get.vector
    val to = conversion.get
    own.reserve(rows)
    var row = 0
    while (row < rows) {
      val at = lookup.cellRow(row)
      if (at < 0) if (mayStandOutside) patch(row) else own.putNull(row)
      else if (from.isNullAt(at)) {
        if (isEmpty(at)) own.putNull(row) else patch(row)
      } else if (!to.convert(from, at, own, row)) {
        own.putNull(row)
        fail(row, rows)
      }
      row += 1
    }
  }

  /** Puts the value of one row that is not in the typed leaf among the converted ones. */
  private def patch(row: Int): Unit = {
    val value = cast(row)
    if (value == null) own.putNull(row) else ScalarPut(own, row, value, target)
  }

  private def castAll(rows: Int): Unit = {
    var row = 0
    while (row < rows) {
      scalarWriter.append(cast(row), own)
      row += 1
    }
  }

  /** The value by Spark's own cast; null where it gives none, noted as a failure unless the path has no value or null. */
  private def cast(row: Int): Any = lookup.find(row) match {
    case null => null
    case found => file.guard(cell.path, row) {
        val value =
          if (ScalarCast.isScalar(target)) scalarCast(found) else VariantGet.cast(found, target, arguments)
        if (value == null && found.getType != Type.NULL) fail(row, row + 1)
        value
      }
  }

  private def fail(row: Int, rows: Int): Unit = {
    if (failed.length <= row) failed = java.util.Arrays.copyOf(failed, math.max(rows, vectors.capacity))
    failed(row) = true
    anyFailed = true
  }
}
