/** Where a plan reads one of our tables: a relation, or the scan that Spark has built of it. */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, DataSourceV2ScanRelation}
import shreddedvariant.layout.PathColumn

final case class ScannedTable(
    table: PathTable,
    output: Seq[AttributeReference],
    relation: DataSourceV2Relation,
    filters: Seq[Expression]
) {

  /** The attributes that are columns of the table, and no paths. */
  def columns: Seq[AttributeReference] = {
    val hidden = table.pathColumns.map(_.name).toSet
    output.filterNot(a => hidden.contains(a.name))
  }

  /** The attribute of a path that the table has as a column already. */
  def existing(path: PathColumn): Option[AttributeReference] =
    if (table.pathColumns.contains(path)) output.find(_.name == path.name) else None

  /** The leaf with more paths as columns, for Spark to build its scan. */
  def withPaths(paths: Seq[(PathColumn, AttributeReference)]): LogicalPlan = {
    val wider = relation.copy(
      table = table.withPathColumns((table.pathColumns ++ paths.map(_._1)).distinct),
      output = output ++ missing ++ paths.map(_._2)
    )
    filters.reduceOption(And).fold[LogicalPlan](wider)(Filter(_, wider))
  }

  /** What only the filters read that the scan had taken over. */
  private def missing: Seq[AttributeReference] = {
    val read = AttributeSet(filters)
    relation.output.filter(a => read.contains(a) && !output.exists(_.exprId == a.exprId))
  }
}

/** How a rule finds the leaves that it works on. */
trait ScannedTables {
  def find(plan: LogicalPlan): Option[ScannedTable]
}

/** Relations, before Spark builds scans of them. */
object Relations extends ScannedTables {
  override def find(plan: LogicalPlan): Option[ScannedTable] = plan match {
    case r: DataSourceV2Relation => table(r).map(ScannedTable(_, r.output, r, Nil))
    case _ => None
  }

  def table(relation: DataSourceV2Relation): Option[PathTable] = relation.table match {
    case t: PathTable => Some(t)
    case _ => None
  }
}

/**
 * Scans, as they can be built anew. Law: a scan is its relation, less the columns that nobody reads, less the rows that
 * its filters remove, and nothing else that does not stand in the plan as well. `mergeableScan` is Spark's word for
 * that: no limit, offset, order, sample, aggregate or join is in the scan. Ours take limits and orders in part only, so
 * that Spark keeps them above, and aggregates with a scan of another kind. Structs may have lost fields, and then expressions count the fields that are left:
 * so the attributes stay as the scan has them, and a filter that knows a struct by its former fields rules it out.
 */
object Scans extends ScannedTables {
  override def find(plan: LogicalPlan): Option[ScannedTable] = plan match {
    case s: DataSourceV2ScanRelation
        if (s.mergeableScan || s.scan.isInstanceOf[PathScan]) && AttributeSet(s.output).subsetOf(
          s.relation.outputSet
        ) =>
      Relations.table(s.relation).filter(_ => s.pushedFilters.forall(hasTypesOf(_, s.output))).map(
        ScannedTable(_, s.output, s.relation, s.pushedFilters)
      )
    case _ => None
  }

  private def hasTypesOf(filter: Expression, output: Seq[Attribute]) =
    filter.references.forall(a => output.forall(b => a.exprId != b.exprId || a.dataType == b.dataType))
}
