/**
 * The draft layout (specification: Shredding Overview, the draft): the groups that we write for a shape.
 *
 * {{{
 *   optional group event {
 *     optional binary untyped_value;        <- metadata and value of all untyped parts, in one binary
 *     optional group object {               <- objects; `array (LIST)` for arrays, `typed_value` for scalars
 *       optional group event_type {         <- one cell
 *         optional binary untyped_value;
 *         optional binary typed_value (STRING);
 *       }
 *     }
 *   }
 * }}}
 *
 * Each `untyped_value` contains a dictionary of the keys that it uses; the group has no `metadata`.
 */
package shreddedvariant.layout

import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.{GroupType, Type, Types}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.Type.Repetition

object DraftLayout {
  val UntypedValue = "untyped_value"
  val Object = "object"
  val Array = "array"
  val TypedValue = ParquetLayout.TypedValue

  /** The columns of a cell. A cell that we write has the first and at most one of the others, in this order. */
  val names: Seq[String] = Seq(UntypedValue, Object, Array, TypedValue)

  /**
   * The footer key by which our writer declares that a file keeps to its shape: a value at the path of a cell
   * is stored in this cell and never in an outer cell. Readers then need not search outer cells, and they may
   * skip rows by the statistics of the cell alone. The declaration has the number of rows of the file, because
   * tools that concatenate files keep the footer keys.
   */
  val FooterKey = "shredded_variant.draft"
  def keepsToShape(rows: Long): String = s"keeps to shape in $rows rows"

  /** Whether readers ignore a field with this name; `_metadata_key_paths` and `_spark…` are reserved. */
  def isIgnored(name: String): Boolean = name.startsWith("_")

  /** Whether a variant group has this layout. Both layouts have `typed_value`. */
  def isDraft(group: GroupType): Boolean =
    group.containsField(UntypedValue) || names.exists(group.containsField) &&
      !Seq(ParquetLayout.Metadata, ParquetLayout.Value).exists(group.containsField)

  /** Whether a group without annotation is a variant: it has `untyped_value`, and only fields of the draft. */
  def isVariant(column: Type): Boolean = column match {
    case group: GroupType if !group.isRepetition(Repetition.REPEATED) =>
      group.getLogicalTypeAnnotation == null &&
      group.getFields.asScala.forall(f => names.contains(f.getName) || isIgnored(f.getName)) &&
      group.containsField(UntypedValue) && FileCellBinder.isBinary(group.getType(UntypedValue))
    case _ => false
  }

  /** The group of a shredded variant. It has no annotation, because the annotation requires `metadata`. */
  def variantGroup(name: String, repetition: Repetition, id: Option[Int], shape: Shape): GroupType = {
    val group = Types.buildGroup(repetition)
    cellFields(shape).foreach(group.addField(_))
    id.foreach(group.id(_))
    group.named(name)
  }

  private def cell(name: String, shape: Shape): GroupType =
    ParquetLayout.group(Repetition.OPTIONAL, name, cellFields(shape))

  private def cellFields(shape: Shape): Seq[Type] =
    Types.primitive(PrimitiveTypeName.BINARY, Repetition.OPTIONAL).named(UntypedValue) +:
      ParquetLayout.typed(shape, Object, Array)(cell).toSeq
}
