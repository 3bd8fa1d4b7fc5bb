/** The layouts that we write, by their differences: the groups of a variant, and which of them may be absent. */
package shreddedvariant.layout

import org.apache.parquet.schema.GroupType
import org.apache.parquet.schema.Type.Repetition

/**
 * A cell has its stored values first and its typed part, whatever that is called, behind them. `cellLevels` is how many
 * definition levels the group of a field or element takes: none where it is required.
 */
sealed abstract class WriteLayout(val hasMetadata: Boolean, val cellLevels: Int) extends Serializable {

  /** What the footer of a file of so many rows says beside the schema. */
  def footer(rows: Long): Map[String, String]

  /** The group of a variant. One that is not shredded is the same in both layouts. */
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
