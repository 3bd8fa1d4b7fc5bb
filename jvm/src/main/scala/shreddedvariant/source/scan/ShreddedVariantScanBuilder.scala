/** What Spark pushes into a scan: filters, columns, aggregates, a limit or an order with one. */
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
   * A file that turns out to be damaged gives the rows before the damage and no error: what its footer promises may never
   * come. Law: where that is allowed, no rows are left out for those of a footer, and nothing is answered from one. A
   * file that is missing is found so before its footer is read, and a limit ends each split by rows that were read.
   */
  private lazy val isDamageIgnored = new FileSourceOptions(CaseInsensitiveMap(options)).ignoreCorruptFiles

  private def known = paths.map(p => p.name -> p).toMap
  private def caseSensitive = spark.sessionState.conf.caseSensitiveAnalysis

  /** Rows that a filter may drop are none of the footer's. */
  override def pushAggregation(aggregation: Aggregation): Boolean = {
    val reader = new ScanAggregates(known, files.dataSchema, files.index.partitionSchema, caseSensitive)
    aggregates = if (dataFilters.isEmpty && !isDamageIgnored) reader.read(aggregation) else None
    aggregates.isDefined
  }

  /** Asked for where every row of the scan counts; each split gives up to so many, and Spark takes those that it needs. */
  override def pushLimit(limit: Int): Boolean = {
    this.limit = Some(limit)
    true
  }

  /** Asked for where every row of the scan counts, as a limit is; Spark sorts what is left. */
  override def pushTopN(orders: Array[SortOrder], limit: Int): Boolean = {
    val order = new ScanOrder(known, files.dataSchema, caseSensitive)
    top = if (isDamageIgnored) None else order.read(orders.toSeq, limit)
    top.isDefined
  }

  /** Of a limit and of an order alike: a split gives what may be among the rows that are asked for. */
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
      partitionFilters,
      dataFilters
    )
}
