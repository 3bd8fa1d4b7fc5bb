/**
 * Refuses a V1 write while it is still a plan. `save` has checked its options by then, but `INSERT OVERWRITE DIRECTORY`
 * has not, and Spark deletes what it overwrites before it asks the format to prepare.
 */
package shreddedvariant.source

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand
import org.apache.spark.sql.internal.SQLConf

object WriteCheck extends (LogicalPlan => Unit) {
  override def apply(plan: LogicalPlan): Unit = plan match {
    case insert: InsertIntoHadoopFsRelationCommand if insert.fileFormat.isInstanceOf[ShreddedVariantSource] =>
      val data = insert.query.schema
      new VariantColumns(data, SQLConf.get.caseSensitiveAnalysis).writeJob(SourceOptions.withDefaults(insert.options))
      val hadoop = SparkSession.active.sessionState.newHadoopConfWithOptions(insert.options)
      DeltaGuard.check(insert.outputPath, hadoop)
    case _ =>
  }
}
