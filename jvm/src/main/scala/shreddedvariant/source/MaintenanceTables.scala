/** The tables that a read for maintenance meets, and where the table itself is read for it. */
package shreddedvariant.source

import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.types.{StructField, StructType}
import shreddedvariant.Errors
import shreddedvariant.source.maintain.{Maintenance, MaintenancePlan}
import shreddedvariant.source.table.TableFiles
import shreddedvariant.source.verify.VerifiedTable

object MaintenanceTables {

  /** The table that stands for another one; None where that is read itself. */
  def of(table: ShreddedVariantTable): Option[Table] = asked(table.files).flatMap {
    case Maintenance.Plan(rewrite) => Some(MaintenancePlan(table.files, rewrite))
    case Maintenance.Verify => Some(VerifiedTable(table.files))
    case _ => None
  }

  def schema(table: Table): StructType =
    StructType(table.columns.map(c => StructField(c.name, c.dataType, c.nullable)))

  /** With a schema, that of a write or of the user, only rows are read and written. */
  def checkSchema(table: ShreddedVariantTable): Unit = of(table).foreach { _ =>
    throw Errors.maintenanceOption(
      Maintenance.Key,
      "what it reads has columns of its own, so schema(…) gives none"
    )
  }

  private def asked(files: TableFiles): Option[Maintenance] = Maintenance.of(files.options)
}
