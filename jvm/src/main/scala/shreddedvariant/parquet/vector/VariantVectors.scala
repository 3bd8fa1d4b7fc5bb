/** Vectors of variants: metadata and value as they are stored, rebuilt, or made row by row. */
package shreddedvariant.parquet.vector

import org.apache.spark.sql.types.{BinaryType, VariantType}
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.VariantVal
import shreddedvariant.shred.{CellVector, HandedOn, Presence, RowRebuilder}

/** A variant is SQL NULL where its metadata is: the file has metadata in every group that is there. */
final class VariantVector(metadata: ColumnVector, value: ColumnVector) extends ReadVector(VariantType) {
  override def isNullAt(row: Int): Boolean = metadata.isNullAt(row)
  override def getChild(ordinal: Int): ColumnVector = if (ordinal == 0) value else metadata
}

/** One of the two binaries of a variant. */
abstract class BinaryVector(column: String, place: BatchPosition) extends ReadVector(BinaryType) {
  protected def bytes(row: Int): Array[Byte]

  override def getBinary(row: Int): Array[Byte] =
    place.guard(column, row)(bytes(row))
}

final class MetadataVector(column: String, metadata: ColumnVector, handedOn: HandedOn, place: BatchPosition)
    extends BinaryVector(column, place) {
  override def isNullAt(row: Int): Boolean = metadata.isNullAt(row)
  override protected def bytes(row: Int): Array[Byte] = handedOn.metadata(metadata.getBinary(row))
}

/** Metadata that is decoded when a row asks for it: many rows of a path can do without. */
final class LazyMetadataVector(
    column: String,
    metadata: LeafColumnReader,
    handedOn: HandedOn,
    place: BatchPosition
) extends BinaryVector(column, place) {
  override def isNullAt(row: Int): Boolean = metadata.whenAsked.isNullAt(row)
  override protected def bytes(row: Int): Array[Byte] = handedOn.metadata(metadata.whenAsked.getBinary(row))
}

/** What stands for the metadata of a variant whose stored values have their own. */
final class NoMetadataVector extends ReadVector(BinaryType) {
  override def isNullAt(row: Int): Boolean = true
  override def getBinary(row: Int): Array[Byte] = null
}

/** The value of a variant that is not shredded: bytes passed through, a missing one read as variant null. */
final class StoredValueVector(
    column: String,
    metadata: ColumnVector,
    value: ColumnVector,
    handedOn: HandedOn,
    place: BatchPosition
) extends BinaryVector(column, place) {
  override def isNullAt(row: Int): Boolean = metadata.isNullAt(row)
  override protected def bytes(row: Int): Array[Byte] =
    if (value.isNullAt(row)) Array(0.toByte)
    else handedOn.value(value.getBinary(row), metadata.getBinary(row))
}

/** The value of a shredded variant, rebuilt when somebody asks for the row: rows that a filter drops cost nothing. */
final class RebuiltValueVector(
    column: String,
    metadata: ColumnVector,
    rebuilder: RowRebuilder,
    handedOn: HandedOn,
    place: BatchPosition
) extends BinaryVector(column, place) {
  override def isNullAt(row: Int): Boolean = metadata.isNullAt(row)
  override protected def bytes(row: Int): Array[Byte] = {
    val keys = metadata.getBinary(row)
    handedOn.value(rebuilder.rebuild(row, keys), keys)
  }
}

/** A part of a variant that its own cells hold, as a variant. */
final class PartVector(
    column: String,
    cell: CellVector,
    metadata: ColumnVector,
    rebuilder: RowRebuilder,
    handedOn: HandedOn,
    place: BatchPosition
) extends ReadVector(VariantType) {
  private val value = new BinaryVector(column, place) {
    override def isNullAt(row: Int): Boolean = cell.isMissing(row)
    override protected def bytes(row: Int): Array[Byte] = {
      val keys = metadata.getBinary(row)
      handedOn.value(rebuilder.rebuild(row, keys), keys)
    }
  }
  override def isNullAt(row: Int): Boolean = cell.isMissing(row)
  override def getChild(ordinal: Int): ColumnVector = if (ordinal == 0) value else metadata
}

/** A variant of which both binaries are made together, when somebody asks for the row, and kept for the other one. */
final class MadeVariantVector(
    column: String,
    presence: Presence,
    make: Int => VariantVal,
    handedOn: HandedOn,
    place: BatchPosition
) extends ReadVector(VariantType)
    with Assembled {
  private var row = -1
  private var made: VariantVal = _

  override def assemble(rows: Int): Unit = row = -1
  override def isNullAt(row: Int): Boolean = !presence.isPresent(row)
  override def getChild(ordinal: Int): ColumnVector = if (ordinal == 0) value else metadata

  private val value = part(made => handedOn.value(made.getValue, made.getMetadata))
  private val metadata = part(made => handedOn.metadata(made.getMetadata))

  private def part(of: VariantVal => Array[Byte]): ColumnVector = new BinaryVector(column, place) {
    override def isNullAt(row: Int): Boolean = !presence.isPresent(row)
    override protected def bytes(row: Int): Array[Byte] = of(variant(row))
  }

  private def variant(row: Int): VariantVal = {
    if (row != this.row) {
      made = make(row)
      this.row = row
    }
    made
  }
}
