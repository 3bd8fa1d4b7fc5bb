/**
 * Checks V1 writes while they are plans.
 *
 * `save` checks its options earlier, but `INSERT OVERWRITE DIRECTORY` does not, and Spark deletes the files
 * that a write replaces before it calls `prepareWrite`. The check runs in the optimizer, because sessions that
 * get the jar after their start can add rules only there.
 */
package shreddedvariant.source.write

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SaveMode
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.datasources.{
  HadoopFsRelation,
  InsertIntoHadoopFsRelationCommand,
  LogicalRelation
}
import org.apache.spark.sql.execution.datasources.v2.{
  DataSourceV2Relation,
  DataSourceV2ScanRelation,
  FileTable
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.internal.SQLConf.PartitionOverwriteMode
import shreddedvariant.{Errors, Options, SharedFile}
import shreddedvariant.source.delta.DeltaWrites
import shreddedvariant.source.format.FormatInsert
import shreddedvariant.source.maintain.Maintenance
import shreddedvariant.source.options.{GivenOptions, VariantColumns, WriteMarks}
import shreddedvariant.source.table.{CatalogEntry, DeltaPathCheck, SourceTable}

object WriteCheck {

  /** Checks a write, and returns whether it goes to a Delta table. */
  def isOfDelta(insert: InsertIntoHadoopFsRelationCommand): Boolean = {
    val data = DataTypeUtils.fromAttributes(insert.outputColumns)
    val options = FormatInsert.options(insert)
    val job = new VariantColumns(data, SQLConf.get.caseSensitiveAnalysis).writeJob(options)
    val hadoop = FormatInsert.hadoopConf(insert)
    DeltaPathCheck.checkAbove(insert.outputPath, hadoop)
    val isDelta = DeltaWrites.isDelta(insert, hadoop)
    if (!isDelta) {
      checkFiles(insert)
      // Spark removes these partitions before it calls `prepareWrite`, which may have to add pins.
      val removesPartitions = insert.mode == SaveMode.Overwrite && insert.staticPartitions.nonEmpty
      if (removesPartitions && !Options.isUnpinned(options.all) && !job.isDecided)
        SharedFile.check(insert.outputPath, hadoop, options.all)
    }
    isDelta
  }

  /** Checks a write to a directory of files. */
  private def checkFiles(insert: InsertIntoHadoopFsRelationCommand): Unit = {
    for (_ <- Maintenance.of(insert.options))
      throw Errors.maintenanceOption(Maintenance.Key, s"'${insert.outputPath}' is no Delta table")
    for (
      key <- Seq(Options.ReplaceWhere, Options.OverwriteSchema) if Options.get(insert.options, key).isDefined
    )
      throw Errors.onlyDelta(key)
    if (
      insert.mode == SaveMode.Overwrite && !isDynamic(insert) && inputs(insert.query).exists(
        DeltaPathCheck.isBelow(
          _,
          insert.outputPath
        )
      )
    )
      throw Errors.overwriteOfInput(insert.outputPath.toString)
  }

  /** Whether this is a dynamic overwrite, which replaces partitions only after the query has read all rows. */
  def isDynamic(insert: InsertIntoHadoopFsRelationCommand) = insert.partitionColumns.nonEmpty && {
    val mode = Options.get(insert.options, "partitionOverwriteMode").getOrElse(
      SQLConf.get.partitionOverwriteMode.toString
    )
    mode.equalsIgnoreCase(PartitionOverwriteMode.DYNAMIC.toString)
  }

  /** The directories that a query reads. Spark's own check covers only its own relations, on some routes. */
  def inputs(query: LogicalPlan): Seq[Path] = query.collectWithSubqueries {
    case l: LogicalRelation =>
      l.relation match {
        case files: HadoopFsRelation => files.location.rootPaths
        case _ => Nil
      }
    case r: DataSourceV2Relation => roots(r.table)
    case s: DataSourceV2ScanRelation => roots(s.relation.table)
    // Spark may have to compute cached rows again.
    case cached: InMemoryRelation => inputs(cached.cacheBuilder.logicalPlan)
  }.flatten

  private def roots(table: Table): Seq[Path] = table match {
    case t: SourceTable => t.files.index.rootPaths
    case files: FileTable => files.fileIndex.rootPaths
    case _ => Nil
  }

}

/** Checks a write, and marks writes of files and writes that replace the whole table. */
object WriteRule extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = withOptionsOfTable(plan) match {
    case FormatInsert(insert) if !WriteMarks.isOfFiles(insert.options) =>
      val replaced =
        if (replaces(insert)) insert.options + (WriteMarks.Replaces -> "true") else insert.options
      insert.copy(options =
        if (WriteCheck.isOfDelta(insert)) replaced else replaced + (WriteMarks.OfFiles -> "true")
      )
    case other => other
  }

  /** Adds TBLPROPERTIES: with a session catalog of a plugin, Spark plans V1 inserts that have OPTIONS only. */
  private def withOptionsOfTable(plan: LogicalPlan): LogicalPlan = plan match {
    case FormatInsert(insert) if insert.catalogTable.isDefined =>
      val properties = CatalogEntry(insert.catalogTable.get.properties, Nil).options
      insert.copy(options = GivenOptions(insert.options, properties).all)
    case other => other
  }

  private def replaces(insert: InsertIntoHadoopFsRelationCommand) =
    insert.mode == SaveMode.Overwrite && insert.staticPartitions.isEmpty && !WriteCheck.isDynamic(insert)
}
