/** The tables that a read for maintenance meets, and where the table itself is read for it. */
package shreddedvariant.source

import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.datasources.FilePartition
import org.apache.spark.sql.types.{StructField, StructType}
import shreddedvariant.Errors

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

  /** One task for each file that is to be written; None for all other reads. */
  def bins(scan: ShreddedVariantScan): Option[Seq[FilePartition]] = Maintenance.of(scan.options) match {
    case Some(Maintenance.Rows(rewrite)) => rewrite.partitions(scan.fileIndex)
    case None => None
    case Some(_) =>
      throw Errors.maintenanceOption(Maintenance.Key, "what is written so cannot be read so")
  }

  private def asked(files: TableFiles): Option[Maintenance] = Maintenance.of(files.options)
}
