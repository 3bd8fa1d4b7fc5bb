/**
 * Moves the partition columns of a table behind the other columns, as Spark does for its own formats.
 *
 * Spark's catalogs alter a table only if its partition columns are last, before and after the change. A Delta
 * table keeps the column order of its log, except in a Hive metastore, which takes no other order.
 */
package shreddedvariant.source.write

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{ResolvedFieldPosition, ResolvedTable}
import org.apache.spark.sql.catalyst.catalog.CatalogUtils
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.connector.catalog.TableChange.{After, ColumnPosition}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.internal.SQLConf
import shreddedvariant.Options
import shreddedvariant.delta.{AsOf, DeltaLog}
import shreddedvariant.source.options.SourceOptions
import shreddedvariant.source.table.{CatalogEntry, SourceTable}

private[source] object PartitionsLast {
  def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case c @ CreateTable(_, columns, by, spec: TableSpec, _) if isSorted(spec) =>
      c.copy(columns = sorted(columns, partitions(by, spec))(_.name))
    case r @ ReplaceTable(_, columns, by, spec: TableSpec, _) if isSorted(spec) =>
      r.copy(columns = sorted(columns, partitions(by, spec))(_.name))
    // The write finds the columns of the query by position.
    case c @ CreateTableAsSelect(_, by, query, spec: TableSpec, _, _, _) if isSorted(spec) =>
      c.copy(query = sorted(query, partitions(by, spec)))
    case r @ ReplaceTableAsSelect(_, by, query, spec: TableSpec, _, _, _) if isSorted(spec) =>
      r.copy(query = sorted(query, partitions(by, spec)))
    case add @ AddColumns(ResolvedTable(_, _, table: SourceTable, _), columns)
        if table.files.partitionColumns.nonEmpty =>
      add.copy(columnsToAdd = beforePartitions(columns, table))
    case other => other
  }

  def holds(table: SourceTable): Boolean =
    table.files.schema.fieldNames.toSeq.endsWith(table.files.partitionColumns)

  private def isSorted(spec: TableSpec): Boolean = CatalogEntry.isOurs(spec.provider) && {
    def isDelta = Options.get(options(spec), Options.Table).exists(_.equalsIgnoreCase("delta"))
    CatalogEntry.isInHive || !isDelta && committed(spec).isEmpty
  }

  /** The partition columns, in a Hive metastore those of the log where the statement names none. */
  private def partitions(by: Seq[Transform], spec: TableSpec): Seq[String] =
    if (by.nonEmpty || !CatalogEntry.isInHive) by.map(_.references.head.fieldNames.head)
    else committed(spec).fold(Seq.empty[String])(DeltaLog.open(_, AsOf.Newest, conf(spec)).partitionColumns)

  /** The location, if it is a Delta table with a commit. */
  private def committed(spec: TableSpec): Option[Path] =
    spec.location.map(uri => new Path(CatalogUtils.stringToURI(uri))).filter(
      DeltaLog.isCommitted(_, conf(spec))
    )

  private def conf(spec: TableSpec) = SparkSession.active.sessionState.newHadoopConfWithOptions(options(spec))

  private def options(spec: TableSpec) =
    SourceOptions.withDefaults(CatalogEntry(spec.properties ++ spec.options, Nil).options).all

  private def sorted(query: LogicalPlan, partitions: Seq[String]): LogicalPlan = {
    val columns = sorted(query.output, partitions)(_.name)
    if (columns == query.output) query else Project(columns, query)
  }

  private def sorted[A](columns: Seq[A], partitions: Seq[String])(name: A => String): Seq[A] = {
    val last = partitions.flatMap(p => columns.find(c => isSame(name(c), p)))
    columns.filterNot(last.contains) ++ last
  }

  /** Adds each column at the user's position if that is before the partition columns, else just before them. */
  private def beforePartitions(
      columns: Seq[QualifiedColType],
      table: SourceTable
  ): Seq[QualifiedColType] = {
    val partitions = table.files.partitionColumns
    var last = table.files.schema.fieldNames.filterNot(partitions.contains(_)).last
    def isBeforePartitions(position: ColumnPosition) = position match {
      case after: After => !partitions.exists(isSame(_, after.column))
      case _ => true
    }
    columns.map { column =>
      val position = column.position.map(_.position).filter(isBeforePartitions)
        .getOrElse(ColumnPosition.after(last))
      position match {
        case after: After if isSame(after.column, last) && column.name.length == 1 => last = column.colName
        case _ =>
      }
      if (column.name.length > 1) column else column.copy(position = Some(ResolvedFieldPosition(position)))
    }
  }

  private def isSame(a: String, b: String) = SQLConf.get.resolver(a, b)
}
