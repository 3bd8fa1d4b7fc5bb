/** How the values of each column are encoded: as Parquet does it, with dictionaries of our own. */
package shreddedvariant.parquet

import org.apache.parquet.column.{ColumnDescriptor, ParquetProperties}
import org.apache.parquet.column.values.ValuesWriter
import org.apache.parquet.column.values.factory.{DefaultValuesWriterFactory, ValuesWriterFactory}
import org.apache.parquet.column.values.fallback.FallbackValuesWriter
import org.apache.parquet.column.values.plain.PlainValuesWriter
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._

private final class ColumnEncodings extends ValuesWriterFactory {
  private val ofParquet = new DefaultValuesWriterFactory
  private var properties: ParquetProperties = _

  override def initialize(properties: ParquetProperties): Unit = {
    this.properties = properties
    ofParquet.initialize(properties)
  }

  override def newValuesWriter(column: ColumnDescriptor): ValuesWriter = {
    val isOurs = properties.getWriterVersion == ParquetProperties.WriterVersion.PARQUET_1_0 &&
      properties.isDictionaryEnabled(column) && !properties.isByteStreamSplitEnabled(column)
    val (most, allocator) = (properties.getDictionaryPageSizeThreshold, properties.getAllocator)
    column.getPrimitiveType.getPrimitiveTypeName match {
      case BINARY if isOurs => FallbackValuesWriter.of(new BinaryDictionaryWriter(most, allocator), plain)
      case INT32 if isOurs => FallbackValuesWriter.of(new NumberDictionaryWriter(4, most, allocator), plain)
      case INT64 if isOurs => FallbackValuesWriter.of(new NumberDictionaryWriter(8, most, allocator), plain)
      case _ => ofParquet.newValuesWriter(column)
    }
  }

  private def plain =
    new PlainValuesWriter(
      properties.getInitialSlabSize,
      properties.getPageSizeThreshold,
      properties.getAllocator
    )
}
