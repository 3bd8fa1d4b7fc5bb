/** Refuses queries that read only some files of a table; a write that replaces these files may read them. */
package shreddedvariant.source.delta

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import shreddedvariant.Errors
import shreddedvariant.source.maintain.Maintenance

object MaintenanceRule extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case _: DeltaWriteCommand => plan
    case insert if DeltaWrites.isRewrite(insert) => plan
    case query =>
      if (query.exists(Maintenance.table(_).exists(_._2.onlySmall)))
        throw Errors.maintenanceOption(Maintenance.Key, "a query would not see all rows of the table")
      query
  }
}
