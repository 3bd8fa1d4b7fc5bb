/** Replaces variant groups in a file's schema by groups that Spark's schema converter accepts. */
package shreddedvariant.parquet.file

import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.{GroupType, Type, Types}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.Type.Repetition
import org.apache.spark.sql.types._
import shreddedvariant.Errors
import shreddedvariant.layout.{DraftLayout, ParquetLayout}

/** Variants are converted to structs with only the metadata, in the requested type and in the file's schema. */
private[parquet] object VariantGroups {
  import ParquetLayout._

  private val storage = StructType(Seq(StructField(Metadata, BinaryType)))

  def asStructs(dataType: DataType): DataType = dataType match {
    case VariantType => storage
    case StructType(fields) => StructType(fields.map(f => f.copy(dataType = asStructs(f.dataType))))
    case ArrayType(element, nullable) => ArrayType(asStructs(element), nullable)
    case MapType(key, value, nullable) => MapType(asStructs(key), asStructs(value), nullable)
    case udt: UserDefinedType[_] => asStructs(udt.sqlType)
    case other => other
  }

  /**
   * Keeps only the metadata of each variant, or adds a metadata column for the draft layout. The metadata has
   * the levels of the group, and Spark's converter may refuse the types of the other columns. `FileCell` binds
   * the original group by its path.
   */
  def withoutTyped(column: Type, requested: DataType, normalized: String => String): Type =
    (column, requested) match {
      case (group: GroupType, VariantType) =>
        if (DraftLayout.isDraft(group))
          withFields(
            group,
            Seq(Types.required(PrimitiveTypeName.BINARY).named(Metadata)),
            keepAnnotation = false
          )
        else if (!group.containsField(Metadata))
          throw Errors.malformedLayout(group.getName, "it has no metadata column")
        else withFields(group, Seq(group.getType(Metadata)), keepAnnotation = false)
      case (group: GroupType, struct: StructType) =>
        val types = struct.fields.map(f => normalized(f.name) -> f.dataType).toMap
        withFields(
          group,
          group.getFields.asScala.toSeq.map { field =>
            types.get(normalized(field.getName)).fold(field)(withoutTyped(field, _, normalized))
          }
        )
      case (group: GroupType, ArrayType(element, _)) => inCollection(group, Seq(element), normalized)
      case (group: GroupType, MapType(key, value, _)) => inCollection(group, Seq(key, value), normalized)
      case _ => column
    }

  /**
   * The groups between a list or map and its elements may have any names, so this matches requested types by
   * position.
   */
  private def inCollection(group: GroupType, requested: Seq[DataType], normalized: String => String): Type =
    withFields(
      group,
      group.getFields.asScala.toSeq.map {
        case repeated: GroupType if repeated.isRepetition(Repetition.REPEATED) =>
          if (requested.size == 1 && repeated.getFieldCount > 1)
            withoutTyped(repeated, requested.head, normalized)
          else
            withFields(
              repeated,
              repeated.getFields.asScala.toSeq.zipAll(requested, null, null).collect {
                case (field, dataType) if field != null =>
                  if (dataType == null) field else withoutTyped(field, dataType, normalized)
              }
            )
        case other => other
      }
    )

  private def withFields(group: GroupType, fields: Seq[Type], keepAnnotation: Boolean = true): GroupType = {
    val builder = Types.buildGroup(group.getRepetition)
    if (keepAnnotation && group.getLogicalTypeAnnotation != null) builder.as(group.getLogicalTypeAnnotation)
    if (group.getId != null) builder.id(group.getId.intValue)
    fields.foreach(builder.addField(_))
    builder.named(group.getName)
  }
}
