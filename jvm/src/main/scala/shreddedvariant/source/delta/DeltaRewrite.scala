/**
 * A write whose rows stand for the files of a Delta table that they were read from. Law: the table has the same rows after
 * it. So the query must be all rows of one read for maintenance, as they are, in any order: nothing in it may drop, add or
 * change one.
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

/** `files` are those that the commit removes, as `snapshot` names them. */
final case class DeltaRewrite(snapshot: DeltaSnapshot, files: Set[String], operation: String)

object DeltaRewrite {
  def of(operation: String, query: LogicalPlan, root: String): DeltaRewrite = {
    val (relation, table, rewrite) = source(query).getOrElse(
      refuse("a write replaces files with rows that were read for it, and with no others")
    )
    val names = table.files.schema.fieldNames.toSet
    val columns = attributes(relation).filter(a => names(a.name)).map(_.exprId)
    // A scan may give partition columns behind the others; a write takes columns by their names.
    if (query.output.size != columns.size || query.output.map(_.exprId).toSet != columns.toSet)
      refuse("a write replaces files with all columns that were read of them, as they are")
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
    // Filters on partitions alone have gone into the scan.
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

  /** Paths that rows are sorted by may be columns on the way. */
  private def isNamed(column: NamedExpression) = column match {
    case _: Attribute => true
    case Alias(child, _) => child.deterministic
    case _ => false
  }

  private def refuse(reason: String) = throw Errors.maintenanceOption(Maintenance.Key, reason)
}
