/**
 * Refuses a V1 write while it is still a plan. `save` has checked its options by then, but `INSERT OVERWRITE DIRECTORY`
 * has not, and Spark deletes what it overwrites before it asks the format to prepare.
 */
package shreddedvariant.source

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{SaveMode, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.internal.SQLConf.PartitionOverwriteMode
import shreddedvariant.{Errors, Options}

object WriteCheck extends (LogicalPlan => Unit) {
  override def apply(plan: LogicalPlan): Unit = plan match {
    case insert: InsertIntoHadoopFsRelationCommand if insert.fileFormat.isInstanceOf[ShreddedVariantSource] =>
      val data = insert.query.schema
      new VariantColumns(data, SQLConf.get.caseSensitiveAnalysis).writeJob(
        SourceOptions.withDefaults(insert.options)
      )
      val hadoop = SparkSession.active.sessionState.newHadoopConfWithOptions(insert.options)
      DeltaGuard.check(insert.outputPath, hadoop)
      if (
        insert.mode == SaveMode.Overwrite && !isDynamic(insert) && inputs(insert.query).exists(isBelow(
          _,
          insert.outputPath
        ))
      )
        throw Errors.overwriteOfInput(insert.outputPath.toString)
    case _ =>
  }

  /** A dynamic overwrite replaces partitions only after all was read. */
  private def isDynamic(insert: InsertIntoHadoopFsRelationCommand) = insert.partitionColumns.nonEmpty && {
    val mode = Options.get(insert.options, "partitionOverwriteMode").getOrElse(
      SQLConf.get.partitionOverwriteMode.toString
    )
    mode.equalsIgnoreCase(PartitionOverwriteMode.DYNAMIC.toString)
  }

  /** Spark looks for its own relations only. */
  private def inputs(query: LogicalPlan): Seq[Path] = query.collect {
    case r: DataSourceV2Relation => r.table match {
        case t: ShreddedVariantTable => t.files.index.rootPaths
        case _ => Nil
      }
  }.flatten

  private def isBelow(path: Path, top: Path) =
    Iterator.iterate(path)(_.getParent).takeWhile(_ != null).contains(top)
}
