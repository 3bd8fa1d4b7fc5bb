/** The layouts that we write, by their differences: what the columns of a cell are called, and which a variant has. */
package shreddedvariant.layout

import org.apache.parquet.schema.GroupType
import org.apache.parquet.schema.Type.Repetition

/** A cell has its stored values first and its typed part, whatever that is called, behind them. */
sealed abstract class WriteLayout(
    val hasMetadata: Boolean,
    val value: String,
    val scalar: String,
    val fields: String,
    val array: String
) extends Serializable {

  /** The place of the root's first column in the group of the variant. */
  val rootStart: Int = if (hasMetadata) ParquetLayout.RootCellStart else 0

  /** What the footer says beside the schema. */
  def footer: Map[String, String] = Map.empty

  /** The group of a variant. One that is not shredded is the same in both layouts. */
  def variantGroup(name: String, repetition: Repetition, id: Option[Int], shape: Shape): GroupType
}

object WriteLayout {
  case object Parquet
      extends WriteLayout(
        hasMetadata = true,
        ParquetLayout.Value,
        ParquetLayout.TypedValue,
        ParquetLayout.TypedValue,
        ParquetLayout.TypedValue
      ) {
    override def variantGroup(
        name: String,
        repetition: Repetition,
        id: Option[Int],
        shape: Shape
    ): GroupType = ParquetLayout.variantGroup(name, repetition, id, shape)
  }

  case object Draft
      extends WriteLayout(
        hasMetadata = false,
        DraftLayout.UntypedValue,
        DraftLayout.TypedValue,
        DraftLayout.Object,
        DraftLayout.Array
      ) {
    override def footer: Map[String, String] = Map(DraftLayout.FooterKey -> DraftLayout.KeepsToShape)

    override def variantGroup(
        name: String,
        repetition: Repetition,
        id: Option[Int],
        shape: Shape
    ): GroupType = DraftLayout.variantGroup(name, repetition, id, shape)
  }

  val all: Map[String, WriteLayout] = Map("parquet" -> Parquet, "draft" -> Draft)
}
