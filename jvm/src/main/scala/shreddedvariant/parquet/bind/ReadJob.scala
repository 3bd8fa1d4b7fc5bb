/**
 * Describes what a query reads from each file: an immutable value that the driver creates and sends to the
 * tasks.
 */
package shreddedvariant.parquet.bind

import org.apache.spark.sql.execution.datasources.parquet.ParquetToSparkSchemaConverter
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import shreddedvariant.layout.PathColumn
import shreddedvariant.maps.HotMaps
import shreddedvariant.parquet.vector.VariantLimits
import shreddedvariant.stats.{Predicate, Top}

/**
 * `id` identifies one run of one scan. `columns` are the data columns of the query; `paths` has the columns
 * among them that are paths of variants or parts of maps, by name. `partitions` are the columns whose values
 * come from the path of the file. `hotKeys` are for files whose footers do not name their hot keys. Rows may be
 * left out if `predicate` cannot be true for them or if `filter` drops them. A split may stop after `limit`
 * rows, and a task may leave out rows that are not in the top N of `top`. With `isStrict`, variants and maps
 * that the layout forbids are refused even if they can be read.
 */
final case class ReadJob(
    id: String,
    columns: StructType,
    paths: Map[String, PathColumn],
    partitions: StructType,
    limits: VariantLimits,
    rebasing: RebaseModes,
    types: TypeMapping,
    caseSensitive: Boolean,
    batchSize: Int,
    offHeap: Boolean,
    hotKeys: HotMaps = HotMaps.none,
    predicate: Option[Predicate] = None,
    filter: Option[RowFilter] = None,
    limit: Option[Long] = None,
    top: Option[Top] = None,
    isStrict: Boolean = false
) {
  def sameName(a: String, b: String): Boolean = if (caseSensitive) a == b else a.equalsIgnoreCase(b)
}

/** The session's settings for dates and timestamps of old files. */
final case class RebaseModes(datetime: String, int96: String, convertInt96: Boolean, sessionZone: String)

/** The session's settings for Parquet types that can be read as several Spark types. */
final case class TypeMapping(
    binaryAsString: Boolean,
    int96AsTimestamp: Boolean,
    inferNtz: Boolean,
    nanosAsLong: Boolean,
    nanosTypes: Boolean
) {
  def converter(caseSensitive: Boolean): ParquetToSparkSchemaConverter = new ParquetToSparkSchemaConverter(
    assumeBinaryIsString = binaryAsString,
    assumeInt96IsTimestamp = int96AsTimestamp,
    caseSensitive = caseSensitive,
    inferTimestampNTZ = inferNtz,
    nanosAsLong = nanosAsLong,
    timestampNanosTypesEnabled = nanosTypes
  )
}

object TypeMapping {
  def of(conf: SQLConf): TypeMapping = TypeMapping(
    binaryAsString = conf.isParquetBinaryAsString,
    int96AsTimestamp = conf.isParquetINT96AsTimestamp,
    inferNtz = conf.parquetInferTimestampNTZEnabled,
    nanosAsLong = conf.legacyParquetNanosAsLong,
    nanosTypes = conf.timestampNanosTypesEnabled
  )
}
