/** The layouts that the writer supports, and their differences: groups, metadata, levels and footer entries. */
package shreddedvariant.layout

import org.apache.parquet.schema.GroupType
import org.apache.parquet.schema.Type.Repetition

/**
 * In both layouts, a cell has the column of stored values first and the typed part second. `cellLevels` is the
 * number of definition levels that the group of a field or element takes: 0 if the group is required.
 */
sealed abstract class WriteLayout(val hasMetadata: Boolean, val cellLevels: Int) extends Serializable {

  /** The entries in the footer of a file with `rows` rows. */
  def footer(rows: Long): Map[String, String]

  /** The group of a variant. The writer uses [[Parquet]] for unshredded variants, whatever the layout. */
  def variantGroup(name: String, repetition: Repetition, id: Option[Int], shape: Shape): GroupType
}

object WriteLayout {
  case object Parquet extends WriteLayout(hasMetadata = true, cellLevels = 0) {
    override def footer(rows: Long): Map[String, String] = Map.empty

    override def variantGroup(
        name: String,
        repetition: Repetition,
        id: Option[Int],
        shape: Shape
    ): GroupType = ParquetLayout.variantGroup(name, repetition, id, shape)
  }

  case object Draft extends WriteLayout(hasMetadata = false, cellLevels = 1) {
    override def footer(rows: Long): Map[String, String] =
      Map(DraftLayout.FooterKey -> DraftLayout.keepsToShape(rows))

    override def variantGroup(
        name: String,
        repetition: Repetition,
        id: Option[Int],
        shape: Shape
    ): GroupType = DraftLayout.variantGroup(name, repetition, id, shape)
  }

  val all: Map[String, WriteLayout] = Map("parquet" -> Parquet, "draft" -> Draft)
}
