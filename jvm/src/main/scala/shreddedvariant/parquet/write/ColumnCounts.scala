/** Counts of the variant and map columns whose shapes and hot keys a writer infers. */
package shreddedvariant.parquet.write

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, MapType, StructType, VariantType}
import shreddedvariant.Errors
import shreddedvariant.binary.MalformedVariant
import shreddedvariant.infer.{Counts, Limits}
import shreddedvariant.maps.{KeyCounts, KeyLimits}

/** The counts of a file's variants and maps, which already include the first `counted` rows. */
final case class ColumnCounts(counts: Map[Seq[String], Counts], maps: Seq[SampledMap], counted: Int)

object ColumnCounts {
  val none: ColumnCounts = ColumnCounts(Map.empty, Nil, 0)
}

/** A variant column whose values are counted to infer its shape. */
private[parquet] final class SampledColumn(
    val path: Seq[String],
    val limits: Limits,
    schema: StructType
) {
  val counts = new Counts
  private val location = new SampledPlace(path, schema)
  assert(location.dataType == VariantType)

  def add(row: InternalRow): Unit = {
    val struct = location.struct(row)
    if (struct == null) counts.addNull()
    else {
      val variant = struct.getVariant(location.ordinal)
      try counts.add(variant.getMetadata, variant.getValue)
      catch { case e: MalformedVariant => throw Errors.malformedValue(path.mkString("."), e.reason) }
    }
  }
}

/** A map column whose keys are counted to choose hot keys. */
final class SampledMap(val path: Seq[String], limits: KeyLimits, schema: StructType) {
  private val location = new SampledPlace(path, schema)
  private val values = location.dataType.asInstanceOf[MapType].valueType
  private val counts = new KeyCounts

  def add(row: InternalRow): Unit = {
    val struct = location.struct(row)
    if (struct != null) counts.add(struct.getMap(location.ordinal), values)
  }

  def hot: Seq[String] = counts.hot(limits)

  /** The counts of the keys that are nearest to being hot, in at most `maxBytes` bytes, for the footer. */
  def nearest(maxBytes: Int): KeyCounts = counts.nearest(limits, maxBytes)
}

/** The location of a column in rows of the schema. */
private[parquet] final class SampledPlace(path: Seq[String], schema: StructType) {

  // The ordinal of each name of the path in its struct, and the number of fields of this struct.
  private val structs = path.init.scanLeft(schema) { (struct, name) =>
    struct(name).dataType.asInstanceOf[StructType]
  }
  private val ordinals = structs.zip(path).map { case (struct, name) => struct.fieldIndex(name) }.toArray
  private val sizes = structs.map(_.size).toArray

  val dataType: DataType = structs.last(path.last).dataType
  val ordinal: Int = ordinals.last

  /** The struct of a row that contains the column, or the row itself; null if the column is NULL. */
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
