/**
 * A write whose rows replace the files of a Delta table that they were read from. Law: the table has the same
 * rows before and after the write. So the query must return all rows of one read for maintenance, unchanged and
 * in any order: no part of the query may drop, add or change a row.
 */
package shreddedvariant.source.delta

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import shreddedvariant.Errors
import shreddedvariant.delta.DeltaSnapshot
import shreddedvariant.source.maintain.{Maintenance, Rewrite}
import shreddedvariant.source.scan.ShreddedVariantScan
import shreddedvariant.source.table.SourceTable

/** `files` are the paths of the files that the commit removes, as in `snapshot`. */
final case class DeltaRewrite(snapshot: DeltaSnapshot, files: Set[String], operation: String)

object DeltaRewrite {
  def of(operation: String, query: LogicalPlan, root: String): DeltaRewrite = {
    val (relation, table, rewrite) = source(query).getOrElse(
      refuse("a write that replaces files needs a query over one read with maintenance=rows")
    )
    val names = table.files.schema.fieldNames.toSet
    val columns = attributes(relation).filter(a => names(a.name)).map(_.exprId)
    // A scan may have the partition columns last; the write finds columns by name.
    if (query.output.size != columns.size || query.output.map(_.exprId).toSet != columns.toSet)
      refuse("a write that replaces files needs all columns of the read, unchanged")
    val snapshot = table.files.delta.filter(s => new Path(s.root) == new Path(root)).getOrElse(
      refuse(s"the rows were not read from the Delta table '$root'")
    )
    val files = rewrite.bins(table.files.index).flatMap(_.files.map(f => snapshot.file(f.getPath).get.path))
    DeltaRewrite(snapshot, files.toSet, operation)
  }

  private def source(plan: LogicalPlan): Option[(LogicalPlan, SourceTable, Rewrite)] = plan match {
    case Project(list, child) if list.forall(isNamed) => source(child)
    case Sort(_, _, child, _) => source(child)
    case moved: RepartitionOperation => source(moved.child)
    case SubqueryAlias(_, child) => source(child)
    // Filters on partition columns are in the scan, not in the plan.
    case read: DataSourceV2ScanRelation if !isWhole(read.scan) => None
    case leaf => Maintenance.table(leaf).map { case (table, rewrite) => (leaf, table, rewrite) }
  }

  private def isWhole(scan: Scan) = scan match {
    case ours: ShreddedVariantScan => ours.isWhole
    case _ => false
  }

  private def attributes(relation: LogicalPlan) = relation match {
    case scan: DataSourceV2ScanRelation => scan.relation.output
    case other => other.output
  }

  /** Aliases are allowed, because the query may have columns for the paths that it sorts by. */
  private def isNamed(column: NamedExpression) = column match {
    case _: Attribute => true
    case Alias(child, _) => child.deterministic
    case _ => false
  }

  private def refuse(reason: String) = throw Errors.maintenanceOption(Maintenance.Key, reason)
}
