/** Variant groups in the schemas that Spark's own converter is given. */
package shreddedvariant.parquet.file

import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.{GroupType, Type, Types}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.Type.Repetition
import org.apache.spark.sql.types._
import shreddedvariant.Errors
import shreddedvariant.layout.{DraftLayout, ParquetLayout}

/** Groups that are asked for as variants, brought into a form that Spark's schema converter takes for any file. */
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
   * Leaves only the metadata of each variant, or puts some there: its levels are the group's, and its other columns may
   * have types that Spark's converter refuses. [[FileCell]] binds the group itself, by its path.
   */
  def withoutTyped(column: Type, requested: DataType, normal: String => String): Type =
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
        val types = struct.fields.map(f => normal(f.name) -> f.dataType).toMap
        withFields(
          group,
          group.getFields.asScala.toSeq.map { field =>
            types.get(normal(field.getName)).fold(field)(withoutTyped(field, _, normal))
          }
        )
      case (group: GroupType, ArrayType(element, _)) => inCollection(group, Seq(element), normal)
      case (group: GroupType, MapType(key, value, _)) => inCollection(group, Seq(key, value), normal)
      case _ => column
    }

  /** Below a list or map the groups in between have any names: whatever is asked for stands at their ends. */
  private def inCollection(group: GroupType, requested: Seq[DataType], normal: String => String): Type =
    withFields(
      group,
      group.getFields.asScala.toSeq.map {
        case repeated: GroupType if repeated.isRepetition(Repetition.REPEATED) =>
          if (requested.size == 1 && repeated.getFieldCount > 1)
            withoutTyped(repeated, requested.head, normal)
          else
            withFields(
              repeated,
              repeated.getFields.asScala.toSeq.zipAll(requested, null, null).collect {
                case (field, wanted) if field != null =>
                  if (wanted == null) field else withoutTyped(field, wanted, normal)
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
