/** A leaf of a plan that reads a table of this source: a relation, or the scan that Spark has built of it. */
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

  /** The attributes of columns of the table, without paths. */
  def columns: Seq[AttributeReference] = {
    val hidden = table.pathColumns.map(_.name).toSet
    output.filterNot(a => hidden.contains(a.name))
  }

  /** The attribute of a path, if the table has the path as a column. */
  def existing(path: PathColumn): Option[AttributeReference] =
    if (table.pathColumns.contains(path)) output.find(_.name == path.name) else None

  /** The leaf as a relation with more paths as columns, of which Spark builds the scan. */
  def withPaths(paths: Seq[(PathColumn, AttributeReference)]): LogicalPlan = {
    val wider = relation.copy(
      table = table.withPathColumns((table.pathColumns ++ paths.map(_._1)).distinct),
      output = output ++ missing ++ paths.map(_._2)
    )
    filters.reduceOption(And).fold[LogicalPlan](wider)(Filter(_, wider))
  }

  /** The attributes that only the pushed filters of the scan read. */
  private def missing: Seq[AttributeReference] = {
    val read = AttributeSet(filters)
    relation.output.filter(a => read.contains(a) && !output.exists(_.exprId == a.exprId))
  }
}

/** Finds the leaves that a rule works on. */
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
 * Scans that can be built again. Law: such a scan is its relation without unread columns and without the rows
 * that its filters remove; everything else that the scan does is in the plan too. Spark's name for such a scan
 * is `mergeableScan`: no limit, offset, order, sample, aggregate or join is in the scan. Scans of this source
 * take limits and orders only partially, so that Spark keeps both in the plan, and aggregates are in scans of
 * another class. Structs may have lost fields, and expressions find fields by ordinal: so the attributes stay
 * as in the scan, and a scan with a filter on a struct with its former fields is excluded.
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
