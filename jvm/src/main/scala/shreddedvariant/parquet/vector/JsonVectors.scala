/** Vectors of variants as JSON text. */
package shreddedvariant.parquet.vector

import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.shred.{JsonWriter, Presence}

/** The first text, or the second text if the first is null. */
final class EitherTextVector(first: ColumnVector, second: ColumnVector) extends ReadVector(StringType) {
  override def isNullAt(row: Int): Boolean = first.isNullAt(row) && second.isNullAt(row)
  override def getUTF8String(row: Int): UTF8String =
    if (first.isNullAt(row)) second.getUTF8String(row) else first.getUTF8String(row)
}

/** A variant, or a part of a variant, as JSON text, which is created when a row is read. */
final class CellJsonVector(
    column: String,
    presence: Presence,
    metadata: ColumnVector,
    writer: JsonWriter,
    position: BatchPosition
) extends ReadVector(StringType) {
  override def isNullAt(row: Int): Boolean = !presence.isPresent(row)
  override def getUTF8String(row: Int): UTF8String =
    if (isNullAt(row)) null else position.guard(column, row)(writer.write(row, metadata.getBinary(row)))
}

/** The variants of another vector as JSON text. */
final class VariantJsonVector(
    column: String,
    variants: ReadColumn,
    writer: JsonWriter.OfVariant,
    position: BatchPosition
) extends ReadVector(StringType) {
  override def isNullAt(row: Int): Boolean = variants.vector.isNullAt(row)
  override def getUTF8String(row: Int): UTF8String =
    if (isNullAt(row)) null else position.guard(column, row)(writer.write(variants.vector.getVariant(row)))
}
