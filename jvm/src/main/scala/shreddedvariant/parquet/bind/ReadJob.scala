/** What is read from every file of a query: one immutable value, made in the driver and sent to the tasks. */
package shreddedvariant.parquet.bind

import org.apache.spark.sql.execution.datasources.parquet.ParquetToSparkSchemaConverter
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import shreddedvariant.layout.PathColumn
import shreddedvariant.maps.HotMaps
import shreddedvariant.parquet.vector.VariantLimits
import shreddedvariant.stats.{Predicate, Top}

/**
 * `id` is of one run of one scan. `columns` are the data columns of the query, among them, by their names in `paths`,
 * paths of variants; `partitions` are those whose values come from the path of the file. `hotKeys` are those of files
 * whose footers do not name them. Rows of which `predicate` cannot be true may be left out, and so may those that `filter`
 * drops. A split that has given `limit` rows may leave out the others, and a task those that are none of the first ones of
 * `top`. `isStrict` refuses variants that the layout forbids, also where they can be read.
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

/** What the session says of dates and timestamps of old files. */
final case class RebaseModes(datetime: String, int96: String, convertInt96: Boolean, sessionZone: String)

/** What the session says of Parquet types that have no one Spark type. */
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
