/** The tables that reads for maintenance return in place of the table itself. */
package shreddedvariant.source

import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.types.{StructField, StructType}
import shreddedvariant.Errors
import shreddedvariant.source.maintain.{Maintenance, MaintenancePlan}
import shreddedvariant.source.table.TableFiles
import shreddedvariant.source.verify.VerifiedTable

object MaintenanceTables {

  /** The table that replaces `table` in a read for maintenance; None if `table` itself is read. */
  def of(table: ShreddedVariantTable): Option[Table] = requested(table.files).flatMap {
    case Maintenance.Plan(rewrite) => Some(MaintenancePlan(table.files, rewrite))
    case Maintenance.Verify => Some(VerifiedTable(table.files))
    case _ => None
  }

  def schema(table: Table): StructType =
    StructType(table.columns.map(c => StructField(c.name, c.dataType, c.nullable)))

  /** Refuses a schema, of a write or of the user, where a read for maintenance returns another table. */
  def checkSchema(table: ShreddedVariantTable): Unit = of(table).foreach { _ =>
    throw Errors.maintenanceOption(
      Maintenance.Key,
      "such a read has columns of its own, so schema(…) cannot be set"
    )
  }

  private def requested(files: TableFiles): Option[Maintenance] = Maintenance.of(files.options)
}
