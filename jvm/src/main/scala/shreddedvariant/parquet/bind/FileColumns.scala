/**
 * Creates the columns about the origin of a row: `_metadata`, and the row number under the name that V1 scans
 * use.
 */
package shreddedvariant.parquet.bind

import org.apache.spark.sql.execution.datasources.{FileFormat, PartitionedFile}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types.{LongType, StructField, StructType}
import org.apache.spark.sql.vectorized.ColumnVector
import shreddedvariant.parquet.vector.{
  AlwaysPresent,
  BatchPosition,
  ConstantVector,
  RowNumberVector,
  StructVector
}

final class FileColumns(split: PartitionedFile, position: BatchPosition, batchSize: Int) {

  /** The vector of the field; None if the field is not about the origin of a row. */
  def find(field: StructField): Option[ColumnVector] = field.dataType match {
    case LongType if field.name == ParquetFileFormat.ROW_INDEX_TEMPORARY_COLUMN_NAME =>
      Some(new RowNumberVector(position))
    case struct: StructType
        if field.name == FileFormat.METADATA_NAME && struct.fieldNames.forall(FileColumns.names) =>
      Some(new StructVector(struct, AlwaysPresent, struct.fields.map(metadata)))
    case _ => None
  }

  private def metadata(field: StructField): ColumnVector =
    if (field.name == ParquetFileFormat.ROW_INDEX) new RowNumberVector(position)
    else {
      val value =
        FileFormat.getFileConstantMetadataColumnValue(
          field.name,
          split,
          FileFormat.BASE_METADATA_EXTRACTORS,
          field.dataType
        )
      ConstantVector(field.dataType, Some(value.value), batchSize)
    }
}

object FileColumns {
  private val names = FileFormat.BASE_METADATA_EXTRACTORS.keySet + ParquetFileFormat.ROW_INDEX
}
