/**
 * Moves the partition columns of a table of files behind the other columns, as Spark does for its own formats.
 *
 * Spark's catalogs alter a table only if its partition columns are last, before and after the change. A Delta
 * table keeps the column order of its log.
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
import shreddedvariant.delta.DeltaLog
import shreddedvariant.source.options.SourceOptions
import shreddedvariant.source.table.{CatalogEntry, SourceTable}

private[source] object PartitionsLast {
  def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case c @ CreateTable(_, columns, by, spec: TableSpec, _) if isOfFiles(spec) =>
      c.copy(columns = sorted(columns, by)(_.name))
    case r @ ReplaceTable(_, columns, by, spec: TableSpec, _) if isOfFiles(spec) =>
      r.copy(columns = sorted(columns, by)(_.name))
    // The write finds the columns of the query by position.
    case c @ CreateTableAsSelect(_, by, query, spec: TableSpec, _, _, _) if isOfFiles(spec) =>
      c.copy(query = sorted(query, by))
    case r @ ReplaceTableAsSelect(_, by, query, spec: TableSpec, _, _, _) if isOfFiles(spec) =>
      r.copy(query = sorted(query, by))
    case add @ AddColumns(ResolvedTable(_, _, table: SourceTable, _), columns)
        if table.files.partitionColumns.nonEmpty =>
      add.copy(columnsToAdd = beforePartitions(columns, table))
    case other => other
  }

  def holds(table: SourceTable): Boolean =
    table.files.schema.fieldNames.toSeq.endsWith(table.files.partitionColumns)

  private def isOfFiles(spec: TableSpec): Boolean = CatalogEntry.isOurs(spec.provider) && {
    val options = SourceOptions.withDefaults(CatalogEntry(spec.properties ++ spec.options, Nil).options).all
    val conf = SparkSession.active.sessionState.newHadoopConfWithOptions(options)
    def isCommitted =
      spec.location.exists(uri => DeltaLog.isCommitted(new Path(CatalogUtils.stringToURI(uri)), conf))
    !Options.get(options, Options.Table).exists(_.equalsIgnoreCase("delta")) && !isCommitted
  }

  private def sorted(query: LogicalPlan, by: Seq[Transform]): LogicalPlan = {
    val columns = sorted(query.output, by)(_.name)
    if (columns == query.output) query else Project(columns, query)
  }

  private def sorted[A](columns: Seq[A], by: Seq[Transform])(name: A => String): Seq[A] = {
    val partitions = by.flatMap(t => columns.find(c => isSame(name(c), t.references.head.fieldNames.head)))
    columns.filterNot(partitions.contains) ++ partitions
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
