/** Counts of the variant and map columns whose shapes and hot keys a writer infers. */
package shreddedvariant.parquet.write

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, MapType, StructType, VariantType}
import shreddedvariant.Errors
import shreddedvariant.binary.MalformedVariant
import shreddedvariant.infer.{Counts, Limits}
import shreddedvariant.maps.{KeyCounts, KeyLimits}

/** What is counted of a file's variants and maps, and for how many of its first rows that is done already. */
final case class ColumnCounts(counts: Map[Seq[String], Counts], maps: Seq[SampledMap], counted: Int)

object ColumnCounts {
  val none: ColumnCounts = ColumnCounts(Map.empty, Nil, 0)
}

/** A variant column that is looked for in rows of the schema. */
private[parquet] final class SampledColumn(
    val path: Seq[String],
    val limits: Limits,
    schema: StructType
) {
  val counts = new Counts
  private val place = new SampledPlace(path, schema)
  assert(place.dataType == VariantType)

  def add(row: InternalRow): Unit = {
    val struct = place.struct(row)
    if (struct == null) counts.addNull()
    else {
      val variant = struct.getVariant(place.ordinal)
      try counts.add(variant.getMetadata, variant.getValue)
      catch { case e: MalformedVariant => throw Errors.malformedValue(path.mkString("."), e.reason) }
    }
  }
}

/** A map column whose hot keys are looked for. */
final class SampledMap(val path: Seq[String], limits: KeyLimits, schema: StructType) {
  private val place = new SampledPlace(path, schema)
  private val values = place.dataType.asInstanceOf[MapType].valueType
  private val counts = new KeyCounts

  def add(row: InternalRow): Unit = {
    val struct = place.struct(row)
    if (struct != null) counts.add(struct.getMap(place.ordinal), values)
  }

  def hot: Seq[String] = counts.hot(limits)

  /** What is worth being remembered by the file, in no more than so many bytes. */
  def nearest(mostBytes: Int): KeyCounts = counts.nearest(limits, mostBytes)
}

/** Where a column stands in rows of the schema. */
private[parquet] final class SampledPlace(path: Seq[String], schema: StructType) {

  // The place of each name of the path in its struct, and how many fields that struct has.
  private val structs = path.init.scanLeft(schema) { (struct, name) =>
    struct(name).dataType.asInstanceOf[StructType]
  }
  private val ordinals = structs.zip(path).map { case (struct, name) => struct.fieldIndex(name) }.toArray
  private val sizes = structs.map(_.size).toArray

  val dataType: DataType = structs.last(path.last).dataType
  val ordinal: Int = ordinals.last

  /** The struct that has the column in a row, the row itself where that is in none; null where the column is NULL. */
  def struct(row: InternalRow): InternalRow = {
    var struct = row
    var i = 0
    while (i < ordinals.length - 1 && struct != null) {
      struct = if (struct.isNullAt(ordinals(i))) null else struct.getStruct(ordinals(i), sizes(i + 1))
      i += 1
    }
    if (struct == null || struct.isNullAt(ordinal)) null else struct
  }
}
