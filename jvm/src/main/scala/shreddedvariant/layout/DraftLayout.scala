/**
 * The earlier layout (specification: Shredding Overview, the draft): the groups that we write for a shape.
 *
 * {{{
 *   optional group event {
 *     optional binary untyped_value;        <- metadata and value of what has no place beside it, in one binary
 *     optional group object {               <- a shape's object; an array has `array (LIST)` here, a scalar `typed_value`
 *       optional group event_type {         <- one cell
 *         optional binary untyped_value;
 *         optional binary typed_value (STRING);
 *       }
 *     }
 *   }
 * }}}
 *
 * Each `untyped_value` has the keys that it needs in a dictionary of its own; the group has no `metadata`.
 */
package shreddedvariant.layout

import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.{GroupType, LogicalTypeAnnotation, Type, Types}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.Type.Repetition

object DraftLayout {
  val UntypedValue = "untyped_value"
  val Object = "object"
  val Array = "array"
  val TypedValue = "typed_value"

  /** The columns of a cell. A cell that we write has the first, and behind it one of the others. */
  val names: Seq[String] = Seq(UntypedValue, Object, Array, TypedValue)

  /**
   * The key of the footer by which our writer says that it keeps to the shape: whatever has a cell stands in it, and in
   * nothing that is stored around it. Readers then need not look there for paths, and may skip by the cell alone. It says
   * so of its own rows: tools that join files keep the keys of each.
   */
  val FooterKey = "shredded_variant.draft"
  def keepsToShape(rows: Long): String = s"keeps to shape in $rows rows"

  /** Siblings of a cell's columns that readers pass over; `_metadata_key_paths` and `_spark…` are reserved among them. */
  def isIgnored(name: String): Boolean = name.startsWith("_")

  /** Whether a group that is said to be a variant has this layout; `typed_value` alone tells the two not apart. */
  def isDraft(group: GroupType): Boolean =
    group.containsField(UntypedValue) || names.exists(group.containsField) &&
      !Seq(ParquetLayout.Metadata, ParquetLayout.Value).exists(group.containsField)

  /** Whether a group is a variant although nobody says so: it has fields of the draft alone, and a binary to say more. */
  def isVariant(column: Type): Boolean = column match {
    case group: GroupType if !group.isRepetition(Repetition.REPEATED) =>
      group.getLogicalTypeAnnotation == null &&
      group.getFields.asScala.forall(f => names.contains(f.getName) || isIgnored(f.getName)) &&
      group.containsField(UntypedValue) && FileCellBinder.isBinary(group.getType(UntypedValue))
    case _ => false
  }

  /** The group of a shredded variant. It has no annotation, since that promises `metadata`. */
  def variantGroup(name: String, repetition: Repetition, id: Option[Int], shape: Shape): GroupType = {
    val group = Types.buildGroup(repetition)
    cellFields(shape).foreach(group.addField(_))
    id.foreach(group.id(_))
    group.named(name)
  }

  private def cell(name: String, shape: Shape): GroupType =
    group(Repetition.OPTIONAL, name, cellFields(shape))

  private def cellFields(shape: Shape): Seq[Type] =
    Types.primitive(PrimitiveTypeName.BINARY, Repetition.OPTIONAL).named(UntypedValue) +: typed(shape).toSeq

  private def typed(shape: Shape): Option[Type] = shape match {
    case Shape.Untyped => None
    case Shape.Scalar(scalar) => Some(ScalarType.toParquet(scalar, TypedValue))
    case Shape.Object(fields) =>
      Some(group(Repetition.OPTIONAL, Object, fields.map { case (key, field) => cell(key, field) }))
    case Shape.Array(element) =>
      val list = group(Repetition.REPEATED, ParquetLayout.List, Seq(cell(ParquetLayout.Element, element)))
      val group3 = Types.buildGroup(Repetition.OPTIONAL).as(LogicalTypeAnnotation.listType()).addField(list)
      Some(group3.named(Array))
  }

  private def group(repetition: Repetition, name: String, fields: Seq[Type]): GroupType = {
    val builder = Types.buildGroup(repetition)
    fields.foreach(builder.addField(_))
    builder.named(name)
  }
}
