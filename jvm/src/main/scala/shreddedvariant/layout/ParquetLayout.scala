/**
 * The current shredding layout (specification: Variant Shredding): the groups that we write for a shape.
 *
 * {{{
 *   optional group event (VARIANT(1)) {
 *     required binary metadata;
 *     optional binary value;
 *     optional group typed_value {          <- an object shape; a group (LIST) for arrays, a column for scalars
 *       required group event_type {         <- one cell
 *         optional binary value;
 *         optional binary typed_value (STRING);
 *       }
 *     }
 *   }
 * }}}
 */
package shreddedvariant.layout

import org.apache.parquet.schema.GroupType
import org.apache.parquet.schema.LogicalTypeAnnotation
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.Type
import org.apache.parquet.schema.Type.Repetition
import org.apache.parquet.schema.Types

object ParquetLayout {
  val Metadata = "metadata"
  val Value = "value"
  val TypedValue = "typed_value"

  /** The groups between a shredded array and its elements. */
  val List = "list"
  val Element = "element"
  val VariantVersion: Byte = 1

  /** The group of a whole variant; an unshredded variant has no `typed_value` and a required `value`. */
  def variantGroup(name: String, repetition: Repetition, id: Option[Int], shape: Shape): GroupType = {
    val metadata = Types.primitive(PrimitiveTypeName.BINARY, Repetition.REQUIRED).named(Metadata)
    val cell = if (shape == Shape.Untyped) Seq(value(Repetition.REQUIRED)) else cellFields(shape)
    val group = Types.buildGroup(repetition).as(LogicalTypeAnnotation.variantType(VariantVersion))
    group.addField(metadata)
    cell.foreach(group.addField(_))
    id.foreach(group.id(_))
    group.named(name)
  }

  private def value(repetition: Repetition): Type =
    Types.primitive(PrimitiveTypeName.BINARY, repetition).named(Value)

  private def cellFields(shape: Shape): Seq[Type] =
    value(Repetition.OPTIONAL) +: typed(shape, TypedValue, TypedValue)(cell).toSeq

  private def cell(name: String, shape: Shape): GroupType =
    group(Repetition.REQUIRED, name, cellFields(shape))

  /** The typed part of a cell; `cell` makes the groups of fields and elements. */
  private[layout] def typed(shape: Shape, objectName: String, arrayName: String)(
      cell: (String, Shape) => GroupType
  ): Option[Type] = shape match {
    case Shape.Untyped => None
    case Shape.Scalar(scalar) => Some(scalar.toParquet(TypedValue))
    case Shape.Object(fields) =>
      Some(group(Repetition.OPTIONAL, objectName, fields.map { case (name, field) => cell(name, field) }))
    case Shape.Array(element) =>
      val list = group(Repetition.REPEATED, List, Seq(cell(Element, element)))
      val builder = Types.buildGroup(Repetition.OPTIONAL).as(LogicalTypeAnnotation.listType())
      Some(builder.addField(list).named(arrayName))
  }

  private[layout] def group(repetition: Repetition, name: String, fields: Seq[Type]): GroupType = {
    val builder = Types.buildGroup(repetition)
    fields.foreach(builder.addField(_))
    builder.named(name)
  }
}
