/** Reads the Spark schema of a file from its footer. */
package shreddedvariant.parquet.file

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.Footer
import org.apache.parquet.hadoop.metadata.{FileMetaData, ParquetMetadata}
import org.apache.parquet.schema.{GroupType, MessageType, Type}
import org.apache.parquet.schema.Type.Repetition
import org.apache.spark.sql.execution.datasources.parquet.{ParquetFileFormat, ParquetToSparkSchemaConverter}
import org.apache.spark.sql.types._
import shreddedvariant.Errors
import shreddedvariant.layout.{DraftLayout, FileCell, ParquetLayout, Shape}
import shreddedvariant.maps.HotMaps

object FooterSchema {

  /**
   * The Spark schema in the footer's metadata, else the schema converted from the file's own. A group is a
   * variant if the Spark schema says so, if the file annotates it, or if its fields are those of the draft
   * layout; else it is a struct.
   */
  def read(path: Path, conf: Configuration, converter: ParquetToSparkSchemaConverter): StructType =
    try readNested(path, conf, converter)
    catch { case _: StackOverflowError => throw Errors.schemaTooDeep(path.toString) }

  private def readNested(
      path: Path,
      conf: Configuration,
      converter: ParquetToSparkSchemaConverter
  ): StructType = {
    val reader = OpenFile(path, conf)
    val footer =
      try reader.getFileMetaData
      finally reader.close()
    val reduced =
      new MessageType(footer.getSchema.getName, footer.getSchema.getFields.asScala.map(unshredded).asJava)
    val metadata = new FileMetaData(reduced, footer.getKeyValueMetaData, footer.getCreatedBy)
    val schema =
      try ParquetFileFormat.readSchemaFromFooter(
          new Footer(path, new ParquetMetadata(metadata, java.util.List.of())),
          converter
        )
      catch { case NonFatal(e) => throw Errors.fileSchema(path.toString, e) }
    // The schema includes the columns of hot keys, which are not columns of the table.
    HotMaps.logical(withDrafts(schema, footer.getSchema))
  }

  /** Removes the shredded columns of variants, because Spark's converter refuses some of their types. */
  private def unshredded(column: Type): Type = column match {
    case group: GroupType if FileCell.isAnnotated(group) && !DraftLayout.isDraft(group) =>
      val kept = group.getFields.asScala.filter(f =>
        f.getName == ParquetLayout.Metadata || f.getName == ParquetLayout.Value
      )
      if (kept.isEmpty) group else group.withNewFields(kept.asJava)
    case group: GroupType if FileCell.isAnnotated(group) || DraftLayout.isVariant(group) =>
      ParquetLayout.variantGroup(
        group.getName,
        group.getRepetition,
        Option(group.getId).map(_.intValue),
        Shape.Untyped
      )
    case group: GroupType => group.withNewFields(group.getFields.asScala.map(unshredded).asJava)
    case other => other
  }

  /** Replaces the structs in Spark's schema that have the fields of the draft layout by variants. */
  private def withDrafts(struct: StructType, group: GroupType): StructType = StructType(struct.map { field =>
    if (group.containsField(field.name))
      field.copy(dataType = withDrafts(field.dataType, group.getType(field.name)))
    else field
  })

  private def withDrafts(dataType: DataType, column: Type): DataType = (dataType, column) match {
    case (_: StructType, group) if DraftLayout.isVariant(group) => VariantType
    case (struct: StructType, group: GroupType) => withDrafts(struct, group)
    case (ArrayType(element, nullable), Repeated(group)) if group.getFieldCount == 1 =>
      ArrayType(withDrafts(element, group.getType(0)), nullable)
    case (MapType(key, value, nullable), Repeated(group)) if group.getFieldCount == 2 =>
      MapType(withDrafts(key, group.getType(0)), withDrafts(value, group.getType(1)), nullable)
    case _ => dataType
  }

  /** The repeated group of a list or map. */
  private object Repeated {
    def unapply(column: Type): Option[GroupType] = column match {
      case group: GroupType if group.getFieldCount == 1 =>
        group.getType(0) match {
          case repeated: GroupType if repeated.isRepetition(Repetition.REPEATED) => Some(repeated)
          case _ => None
        }
      case _ => None
    }
  }
}
