/** Collects what Spark pushes into a scan: filters, columns, aggregates, a limit or a top N. */
package shreddedvariant.source.scan

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.FileSourceOptions
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.connector.expressions.SortOrder
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation
import org.apache.spark.sql.connector.read.{
  Scan,
  SupportsPushDownAggregates,
  SupportsPushDownLimit,
  SupportsPushDownTopN
}
import org.apache.spark.sql.execution.datasources.v2.FileScanBuilder
import org.apache.spark.sql.types.StructType
import shreddedvariant.layout.PathColumn
import shreddedvariant.stats.Top
import shreddedvariant.source.table.TableFiles

final class ShreddedVariantScanBuilder(
    spark: SparkSession,
    files: TableFiles,
    paths: Seq[PathColumn],
    whole: Map[String, String],
    options: Map[String, String]
) extends FileScanBuilder(spark, files.index, files.dataSchema)
    with SupportsPushDownAggregates
    with SupportsPushDownLimit
    with SupportsPushDownTopN {
  override protected val supportsNestedSchemaPruning: Boolean = true

  private var aggregates: Option[PushedAggregates] = None
  private var limit: Option[Int] = None
  private var top: Option[Top] = None

  /**
   * With `ignoreCorruptFiles`, a damaged file gives the rows before the damage and no error, so rows that its
   * footer counts may never be read. Law: with this setting, footers do not answer aggregates, and no rows are
   * skipped because of other rows that a footer counts. The setting does not affect limits, which count rows
   * that are read. A missing file is detected before its footer is read.
   */
  private lazy val isDamageIgnored = new FileSourceOptions(CaseInsensitiveMap(options)).ignoreCorruptFiles

  private def pathsByName = paths.map(p => p.name -> p).toMap
  private def caseSensitive = spark.sessionState.conf.caseSensitiveAnalysis

  /** Only without filters on rows, because a footer counts all rows. */
  override def pushAggregation(aggregation: Aggregation): Boolean = {
    val reader = new ScanAggregates(pathsByName, files.dataSchema, files.index.partitionSchema, caseSensitive)
    aggregates = if (dataFilters.isEmpty && !isDamageIgnored) reader.read(aggregation) else None
    aggregates.isDefined
  }

  /** Spark pushes a limit only if no filter is above the scan. Each split ends after `limit` rows. */
  override def pushLimit(limit: Int): Boolean = {
    this.limit = Some(limit)
    true
  }

  /** Spark pushes a top N only if no filter is above the scan, and sorts the rows that the scan returns. */
  override def pushTopN(orders: Array[SortOrder], limit: Int): Boolean = {
    val order = new ScanOrder(pathsByName, files.dataSchema, caseSensitive)
    top = if (isDamageIgnored) None else order.read(orders.toSeq, limit)
    top.isDefined
  }

  /** For limits and top N: a split returns all rows that may be in the result, and Spark does the rest. */
  override def isPartiallyPushed(): Boolean = true

  override def build(): Scan = aggregates match {
    case Some(pushed) =>
      val columns = StructType(pushed.columns.map(_.field).distinct)
      AggregateScan(scan(columns, pushed.paths, StructType(pushed.groupBy.distinct)), pushed)
    case None => scan(readDataSchema(), paths, readPartitionSchema()).copy(limit = limit, top = top)
  }

  private def scan(
      columns: StructType,
      paths: Seq[PathColumn],
      partitions: StructType
  ) =
    ShreddedVariantScan(
      spark,
      files.index,
      files.dataSchema,
      columns,
      paths,
      whole,
      partitions,
      options,
      files.schema.fieldNames.toSeq,
      partitionFilters,
      dataFilters
    )
}
