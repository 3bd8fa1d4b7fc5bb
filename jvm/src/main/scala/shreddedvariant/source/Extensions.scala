/** The rules and functions of a session: added at its start if it has the jar then, else at the first use. */
package shreddedvariant.source

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions, SparkSessionExtensionsProvider}
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import shreddedvariant.rules.{LatePathPushdown, PathPushdown, RecursivePruning, WholeReads}
import shreddedvariant.source.delta.{DeltaWrites, MaintenanceRule}
import shreddedvariant.source.function.ShreddingShape
import shreddedvariant.source.write.{TableChecks, TableWrites, WriteRule}

/** Loaded by Spark as a service. */
class Extensions extends SparkSessionExtensionsProvider {
  override def apply(extensions: SparkSessionExtensions): Unit = {
    extensions.injectHintResolutionRule(_ => SqlPaths)
    extensions.injectCheckRule(_ => TableChecks)
    extensions.injectPreCBORule(_ => PathPushdown)
    extensions.injectFunction((
      FunctionIdentifier(ShreddingShape.name),
      ShreddingShape.info,
      ShreddingShape.builder
    ))
  }
}

/** Rules and functions that a session can take after its start. They change this session only. */
object LateRules {
  private val all =
    Seq[Rule[LogicalPlan]](
      MaintenanceRule,
      TableWrites,
      WriteRule,
      DeltaWrites,
      LateSqlPaths,
      LatePathPushdown,
      RecursivePruning,
      WholeReads
    )

  /** For the session of this thread. Runs at each use of the format, because users may replace Spark's list. */
  def install(): Unit =
    SparkSession.getActiveSession.orElse(SparkSession.getDefaultSession).foreach { session =>
      val experimental = session.experimental
      experimental.synchronized {
        val missing = all.filterNot(rule => experimental.extraOptimizations.exists(_ eq rule))
        if (missing.nonEmpty) experimental.extraOptimizations ++= missing
      }
      ShreddingShape.register(session)
    }
}
