/** The Spark schema of a file, from its footer alone. */
package shreddedvariant.parquet

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.Footer
import org.apache.parquet.hadoop.metadata.{FileMetaData, ParquetMetadata}
import org.apache.parquet.schema.{GroupType, MessageType, Type}
import org.apache.spark.sql.execution.datasources.parquet.{ParquetFileFormat, ParquetToSparkSchemaConverter}
import org.apache.spark.sql.types.StructType
import shreddedvariant.layout.{FileCell, ParquetLayout}
import shreddedvariant.maps.HotMaps

object FooterSchema {

  /**
   * The schema that Spark left in the footer, else the file's own. A group is a variant if Spark's schema says so or
   * the file annotates it; without either it is a struct.
   */
  def read(path: Path, conf: Configuration, converter: ParquetToSparkSchemaConverter): StructType = {
    val reader = OpenFile(path, conf)
    val footer =
      try reader.getFileMetaData
      finally reader.close()
    val reduced =
      new MessageType(footer.getSchema.getName, footer.getSchema.getFields.asScala.map(unshredded).asJava)
    val metadata = new FileMetaData(reduced, footer.getKeyValueMetaData, footer.getCreatedBy)
    // Spark's schema has the columns of the file, and those of hot keys are no columns of the table.
    HotMaps.logical(ParquetFileFormat.readSchemaFromFooter(
      new Footer(path, new ParquetMetadata(metadata, java.util.List.of())),
      converter
    ))
  }

  /** Spark's converter looks into the shredded columns of a variant and refuses some of their types: leave them out. */
  private def unshredded(column: Type): Type = column match {
    case group: GroupType if FileCell.isAnnotated(group) =>
      val kept = group.getFields.asScala.filter(f =>
        f.getName == ParquetLayout.Metadata || f.getName == ParquetLayout.Value
      )
      if (kept.isEmpty) group else group.withNewFields(kept.asJava)
    case group: GroupType => group.withNewFields(group.getFields.asScala.map(unshredded).asJava)
    case other => other
  }
}
