/** Vectors of variants: metadata and value as stored, rebuilt, or created row by row. */
package shreddedvariant.parquet.vector

import org.apache.spark.sql.types.{BinaryType, VariantType}
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.VariantVal
import shreddedvariant.shred.{CellVector, Presence, RowRebuilder, VariantForSpark}

/** A variant is SQL NULL where its metadata is null, because every group that is present has metadata. */
final class VariantVector(metadata: ColumnVector, value: ColumnVector) extends ReadVector(VariantType) {
  override def isNullAt(row: Int): Boolean = metadata.isNullAt(row)
  override def getChild(ordinal: Int): ColumnVector = if (ordinal == 0) value else metadata
}

/** How Spark gets the bytes of a variant column; errors about a row name the column, the file and the row. */
final class VariantOutput(val column: String, val forSpark: VariantForSpark, val position: BatchPosition)

/** One of the two binaries of a variant. */
abstract class BinaryVector(output: VariantOutput) extends ReadVector(BinaryType) {
  protected def bytes(row: Int): Array[Byte]

  override def getBinary(row: Int): Array[Byte] =
    output.position.guard(output.column, row)(bytes(row))
}

final class MetadataVector(metadata: ColumnVector, output: VariantOutput) extends BinaryVector(output) {
  override def isNullAt(row: Int): Boolean = metadata.isNullAt(row)
  override protected def bytes(row: Int): Array[Byte] = output.forSpark.metadata(metadata.getBinary(row))
}

/** Metadata that is decoded on first access, because many rows of a path do not need it. */
final class LazyMetadataVector(metadata: LeafColumnReader, output: VariantOutput)
    extends BinaryVector(output) {
  override def isNullAt(row: Int): Boolean = metadata.whenAsked.isNullAt(row)
  override protected def bytes(row: Int): Array[Byte] =
    output.forSpark.metadata(metadata.whenAsked.getBinary(row))
}

/** Replaces the metadata of a variant in the draft layout, whose stored values have their own keys. */
final class NoMetadataVector extends ReadVector(BinaryType) {
  override def isNullAt(row: Int): Boolean = true
  override def getBinary(row: Int): Array[Byte] = null
}

/** The value of an unshredded variant: the stored bytes, or a variant null if they are missing. */
final class StoredValueVector(metadata: ColumnVector, value: ColumnVector, output: VariantOutput)
    extends BinaryVector(output) {
  override def isNullAt(row: Int): Boolean = metadata.isNullAt(row)
  override protected def bytes(row: Int): Array[Byte] =
    if (value.isNullAt(row)) Array(0.toByte)
    else output.forSpark.value(value.getBinary(row), metadata.getBinary(row))
}

/**
 * The value of a shredded variant, rebuilt when a row is read, so that rows that a filter drops cost nothing.
 */
class RebuiltValueVector(metadata: ColumnVector, rebuilder: RowRebuilder, output: VariantOutput)
    extends BinaryVector(output) {
  override def isNullAt(row: Int): Boolean = metadata.isNullAt(row)
  final override protected def bytes(row: Int): Array[Byte] = {
    val keys = metadata.getBinary(row)
    output.forSpark.value(rebuilder.rebuild(row, keys), keys)
  }
}

/** A part of a variant that has its own cell, as a variant. */
final class PartVector(
    cell: CellVector,
    metadata: ColumnVector,
    rebuilder: RowRebuilder,
    output: VariantOutput
) extends ReadVector(VariantType) {
  private val value = new RebuiltValueVector(metadata, rebuilder, output) {
    override def isNullAt(row: Int): Boolean = cell.isMissing(row)
  }
  override def isNullAt(row: Int): Boolean = cell.isMissing(row)
  override def getChild(ordinal: Int): ColumnVector = if (ordinal == 0) value else metadata
}

/**
 * A variant whose two binaries are created together when a row is first read, and kept for the second binary.
 */
final class MadeVariantVector(presence: Presence, make: Int => VariantVal, output: VariantOutput)
    extends ReadVector(VariantType)
    with Assembled {
  private var row = -1
  private var current: VariantVal = _

  override def assemble(rows: Int): Unit = row = -1
  override def isNullAt(row: Int): Boolean = !presence.isPresent(row)
  override def getChild(ordinal: Int): ColumnVector = if (ordinal == 0) value else metadata

  private val value = part(variant => output.forSpark.value(variant.getValue, variant.getMetadata))
  private val metadata = part(variant => output.forSpark.metadata(variant.getMetadata))

  private def part(binary: VariantVal => Array[Byte]): ColumnVector = new BinaryVector(output) {
    override def isNullAt(row: Int): Boolean = !presence.isPresent(row)
    override protected def bytes(row: Int): Array[Byte] = binary(variant(row))
  }

  private def variant(row: Int): VariantVal = {
    if (row != this.row) {
      current = make(row)
      this.row = row
    }
    current
  }
}
