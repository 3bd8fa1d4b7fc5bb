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

/** One of the two binaries of a variant. */
abstract class BinaryVector(column: String, position: BatchPosition) extends ReadVector(BinaryType) {
  protected def bytes(row: Int): Array[Byte]

  override def getBinary(row: Int): Array[Byte] =
    position.guard(column, row)(bytes(row))
}

final class MetadataVector(
    column: String,
    metadata: ColumnVector,
    forSpark: VariantForSpark,
    position: BatchPosition
) extends BinaryVector(column, position) {
  override def isNullAt(row: Int): Boolean = metadata.isNullAt(row)
  override protected def bytes(row: Int): Array[Byte] = forSpark.metadata(metadata.getBinary(row))
}

/** Metadata that is decoded on first access, because many rows of a path do not need it. */
final class LazyMetadataVector(
    column: String,
    metadata: LeafColumnReader,
    forSpark: VariantForSpark,
    position: BatchPosition
) extends BinaryVector(column, position) {
  override def isNullAt(row: Int): Boolean = metadata.whenAsked.isNullAt(row)
  override protected def bytes(row: Int): Array[Byte] = forSpark.metadata(metadata.whenAsked.getBinary(row))
}

/** Replaces the metadata of a variant in the draft layout, whose stored values have their own keys. */
final class NoMetadataVector extends ReadVector(BinaryType) {
  override def isNullAt(row: Int): Boolean = true
  override def getBinary(row: Int): Array[Byte] = null
}

/** The value of an unshredded variant: the stored bytes, or a variant null if they are missing. */
final class StoredValueVector(
    column: String,
    metadata: ColumnVector,
    value: ColumnVector,
    forSpark: VariantForSpark,
    position: BatchPosition
) extends BinaryVector(column, position) {
  override def isNullAt(row: Int): Boolean = metadata.isNullAt(row)
  override protected def bytes(row: Int): Array[Byte] =
    if (value.isNullAt(row)) Array(0.toByte)
    else forSpark.value(value.getBinary(row), metadata.getBinary(row))
}

/**
 * The value of a shredded variant, rebuilt when a row is read, so that rows that a filter drops cost nothing.
 */
final class RebuiltValueVector(
    column: String,
    metadata: ColumnVector,
    rebuilder: RowRebuilder,
    forSpark: VariantForSpark,
    position: BatchPosition
) extends BinaryVector(column, position) {
  override def isNullAt(row: Int): Boolean = metadata.isNullAt(row)
  override protected def bytes(row: Int): Array[Byte] = {
    val keys = metadata.getBinary(row)
    forSpark.value(rebuilder.rebuild(row, keys), keys)
  }
}

/** A part of a variant that has its own cell, as a variant. */
final class PartVector(
    column: String,
    cell: CellVector,
    metadata: ColumnVector,
    rebuilder: RowRebuilder,
    forSpark: VariantForSpark,
    position: BatchPosition
) extends ReadVector(VariantType) {
  private val value = new BinaryVector(column, position) {
    override def isNullAt(row: Int): Boolean = cell.isMissing(row)
    override protected def bytes(row: Int): Array[Byte] = {
      val keys = metadata.getBinary(row)
      forSpark.value(rebuilder.rebuild(row, keys), keys)
    }
  }
  override def isNullAt(row: Int): Boolean = cell.isMissing(row)
  override def getChild(ordinal: Int): ColumnVector = if (ordinal == 0) value else metadata
}

/**
 * A variant whose two binaries are created together when a row is first read, and kept for the second binary.
 */
final class MadeVariantVector(
    column: String,
    presence: Presence,
    make: Int => VariantVal,
    forSpark: VariantForSpark,
    position: BatchPosition
) extends ReadVector(VariantType)
    with Assembled {
  private var row = -1
  private var current: VariantVal = _

  override def assemble(rows: Int): Unit = row = -1
  override def isNullAt(row: Int): Boolean = !presence.isPresent(row)
  override def getChild(ordinal: Int): ColumnVector = if (ordinal == 0) value else metadata

  private val value = part(variant => forSpark.value(variant.getValue, variant.getMetadata))
  private val metadata = part(variant => forSpark.metadata(variant.getMetadata))

  private def part(binary: VariantVal => Array[Byte]): ColumnVector = new BinaryVector(column, position) {
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
