/**
 * Refuses a V1 write while it is still a plan. `save` has checked its options by then, but `INSERT OVERWRITE DIRECTORY`
 * has not, and Spark deletes what it overwrites before it asks the format to prepare. The check is made when a plan is
 * analysed, and again when it is optimised, for sessions that have the jar only since then.
 */
package shreddedvariant.source

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SaveMode
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.datasources.{
  HadoopFsRelation,
  InsertIntoHadoopFsRelationCommand,
  LogicalRelation
}
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, DataSourceV2ScanRelation}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.internal.SQLConf.PartitionOverwriteMode
import shreddedvariant.{Errors, Options, SharedFile}

object WriteCheck extends (LogicalPlan => Unit) {
  override def apply(plan: LogicalPlan): Unit = plan match {
    case Write(insert) if !WriteRule.isOfFiles(insert.options) => isOfDelta(insert)
    case _ =>
  }

  /** Checks a write; whether it goes to a Delta table. */
  def isOfDelta(insert: InsertIntoHadoopFsRelationCommand): Boolean = {
    val data = DataTypeUtils.fromAttributes(insert.outputColumns)
    val options = DeltaWrites.options(insert)
    val job = new VariantColumns(data, SQLConf.get.caseSensitiveAnalysis).writeJob(options)
    val hadoop = DeltaWrites.hadoopConf(insert)
    DeltaPathCheck.checkAbove(insert.outputPath, hadoop)
    val isDelta = DeltaWrites.isDelta(insert, hadoop)
    if (!isDelta) {
      checkFiles(insert)
      // Spark removes these partitions before it asks for a writer, which may have to keep pins.
      val removesPartitions = insert.mode == SaveMode.Overwrite && insert.staticPartitions.nonEmpty
      if (removesPartitions && !Options.isUnpinned(options.all) && !job.isDecided)
        SharedFile.check(insert.outputPath, hadoop, options.all)
    }
    isDelta
  }

  object Write {
    def unapply(plan: LogicalPlan): Option[InsertIntoHadoopFsRelationCommand] = plan match {
      case insert: InsertIntoHadoopFsRelationCommand
          if insert.fileFormat.isInstanceOf[ShreddedVariantSource] => Some(insert)
      case _ => None
    }
  }

  /** A write that replaces files of a directory, not of a Delta table. */
  private def checkFiles(insert: InsertIntoHadoopFsRelationCommand): Unit = {
    for (_ <- Maintenance.of(insert.options))
      throw Errors.maintenanceOption(Maintenance.Key, s"'${insert.outputPath}' is no Delta table")
    for (
      key <- Seq(Options.ReplaceWhere, Options.OverwriteSchema) if Options.get(insert.options, key).isDefined
    )
      throw Errors.onlyDelta(key)
    if (
      insert.mode == SaveMode.Overwrite && !isDynamic(insert) && inputs(insert.query).exists(isBelow(
        _,
        insert.outputPath
      ))
    )
      throw Errors.overwriteOfInput(insert.outputPath.toString)
  }

  /** A dynamic overwrite replaces partitions only after all was read. */
  def isDynamic(insert: InsertIntoHadoopFsRelationCommand) = insert.partitionColumns.nonEmpty && {
    val mode = Options.get(insert.options, "partitionOverwriteMode").getOrElse(
      SQLConf.get.partitionOverwriteMode.toString
    )
    mode.equalsIgnoreCase(PartitionOverwriteMode.DYNAMIC.toString)
  }

  /** The directories that a query reads; Spark looks for its own relations, and not on all routes. */
  def inputs(query: LogicalPlan): Seq[Path] = query.collectWithSubqueries {
    case l: LogicalRelation =>
      l.relation match {
        case files: HadoopFsRelation => files.location.rootPaths
        case _ => Nil
      }
    case r: DataSourceV2Relation => roots(r.table)
    case s: DataSourceV2ScanRelation => roots(s.relation.table)
  }.flatten

  private def roots(table: Table): Seq[Path] = table match {
    case t: ShreddedVariantTable => t.files.index.rootPaths
    case _ => Nil
  }

  def isBelow(path: Path, top: Path) =
    Iterator.iterate(path)(_.getParent).takeWhile(_ != null).contains(top)
}

/** Checks once more, and tells the write of a table that is replaced as a whole: it asks nothing of what was there. */
object WriteRule extends Rule[LogicalPlan] {

  /** An option of ours that no user gives. */
  val Replaces = "__shredded_variant_replaces__"

  /** Another one, of a write that was checked and goes to a directory of files: a store is not asked again. */
  private val OfFiles = "__shredded_variant_of_files__"
  def isOfFiles(options: Map[String, String]): Boolean = options.contains(OfFiles)

  override def apply(plan: LogicalPlan): LogicalPlan = withOptionsOfTable(plan) match {
    case WriteCheck.Write(insert) if !isOfFiles(insert.options) =>
      val replaced = if (replaces(insert)) insert.options + (Replaces -> "true") else insert.options
      insert.copy(options = if (WriteCheck.isOfDelta(insert)) replaced else replaced + (OfFiles -> "true"))
    case other => other
  }

  /** A session catalog that is not Spark's own has its inserts planned by V1, which knows OPTIONS alone. */
  private def withOptionsOfTable(plan: LogicalPlan): LogicalPlan = plan match {
    case insert: InsertIntoHadoopFsRelationCommand
        if insert.fileFormat.isInstanceOf[ShreddedVariantSource] && insert.catalogTable.isDefined =>
      val properties = CatalogEntry(insert.catalogTable.get.properties, Nil).options
      insert.copy(options = GivenOptions(insert.options, properties).all)
    case other => other
  }

  private def replaces(insert: InsertIntoHadoopFsRelationCommand) =
    insert.mode == SaveMode.Overwrite && insert.staticPartitions.isEmpty && !WriteCheck.isDynamic(insert)
}
