/** Tags the files of a Delta table whose statistics are verified, so that reads skip files by their bounds. */
package shreddedvariant.source.delta

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{InputAdapter, ProjectExec, SparkPlan, WholeStageCodegenExec}
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.command.DataWritingCommand
import org.apache.spark.sql.execution.datasources.{InsertIntoHadoopFsRelationCommand, WriteFiles}
import org.apache.spark.sql.execution.datasources.v2.{
  BatchScanExec,
  DataSourceV2Relation,
  DataSourceV2ScanRelation
}
import shreddedvariant.{Errors, SharedFile}
import shreddedvariant.delta.{AsOf, DeltaLog, DeltaSnapshot, DeltaTarget, DeltaTransaction}
import shreddedvariant.source.maintain.Maintenance
import shreddedvariant.source.verify.{VerifiedRow, VerifiedTable}
import shreddedvariant.source.format.FormatInsert

/** `query` returns all rows of a verification of the table at `version`. */
final case class DeltaTrustCommand(
    query: LogicalPlan,
    root: String,
    version: Long,
    options: Map[String, String]
) extends DataWritingCommand {
  override def outputColumnNames: Seq[String] = query.output.map(_.name)
  override protected def withNewChildInternal(child: LogicalPlan): DeltaTrustCommand = copy(query = child)

  override def run(spark: SparkSession, child: SparkPlan): Seq[Row] = {
    val rows = child.executeCollect().toSeq
    val (file, trustable) = (VerifiedRow.ordinal("path"), VerifiedRow.ordinal("trustable"))
    val conf = spark.sessionState.newHadoopConf()
    SharedFile.check(new Path(root), conf, options)
    val snapshot = DeltaLog.open(new Path(root), AsOf.Version(version), conf)
    val sound = rows.groupBy(_.getString(file)).collect {
      case (path, findings) if findings.forall(_.getBoolean(trustable)) => path
    }
    val trusted = sound.flatMap(path => snapshot.file(new Path(path))).filterNot(_.isOurs).map(_.path).toSet
    if (trusted.nonEmpty) new DeltaTransaction(DeltaTarget.existing(snapshot), conf).trust(snapshot, trusted)
    Seq.empty
  }
}

object DeltaTrustCommand {
  def of(insert: InsertIntoHadoopFsRelationCommand, conf: Configuration): LogicalPlan = {
    val query = insert.query match {
      case files: WriteFiles => files.child
      case other => other
    }
    val root = insert.outputPath.getFileSystem(conf).makeQualified(insert.outputPath)
    val isWhole = query.output.map(_.name) == VerifiedRow.schema.fieldNames.toSeq
    val table = verified(query).filter(snapshot => isWhole && new Path(snapshot.root) == root).getOrElse(
      throw Errors.maintenanceOption(
        Maintenance.Key,
        s"such a write needs all rows of a verification of the Delta table '$root'"
      )
    )
    DeltaTrustCommand(query, table.root, table.version, FormatInsert.options(insert).all)
  }

  /** The snapshot that the query verifies, also if the rows of the verification are cached. */
  private def verified(query: LogicalPlan): Option[DeltaSnapshot] = (query match {
    case r: DataSourceV2Relation => Some(r.table)
    case s: DataSourceV2ScanRelation => Some(s.relation.table)
    case kept: InMemoryRelation => scanned(kept.cacheBuilder.cachedPlan)
    case _ => None
  }).collect { case table: VerifiedTable => table }.flatMap(_.files.delta)

  /** The table of a scan, if no operator above the scan can drop a row. */
  private def scanned(plan: SparkPlan): Option[Table] = plan match {
    case scan: BatchScanExec => Some(scan.table)
    case adaptive: AdaptiveSparkPlanExec => scanned(adaptive.executedPlan)
    case stage: WholeStageCodegenExec => scanned(stage.child)
    case input: InputAdapter => scanned(input.child)
    case ProjectExec(list, child) if list.forall(_.isInstanceOf[Attribute]) => scanned(child)
    case _ => None
  }
}
