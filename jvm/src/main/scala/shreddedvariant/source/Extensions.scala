/** What a session gets of us by itself: with its start if it has the jar then, else when it meets the format. */
package shreddedvariant.source

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions, SparkSessionExtensionsProvider}
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import shreddedvariant.rules.{LatePathPushdown, PathPushdown, RecursivePruning, WholeReads}
import shreddedvariant.source.delta.{DeltaWrites, MaintenanceRule}
import shreddedvariant.source.function.ShreddingShape
import shreddedvariant.source.write.{TableChecks, TableWrites, WriteCheck, WriteRule}

/** Spark finds this class as a service. */
class Extensions extends SparkSessionExtensionsProvider {
  override def apply(extensions: SparkSessionExtensions): Unit = {
    extensions.injectHintResolutionRule(_ => SqlPaths)
    extensions.injectCheckRule(_ => TableChecks)
    extensions.injectCheckRule(_ => WriteCheck)
    extensions.injectPreCBORule(_ => PathPushdown)
    extensions.injectFunction((
      FunctionIdentifier(ShreddingShape.name),
      ShreddingShape.info,
      ShreddingShape.builder
    ))
  }
}

/** Rules and functions that a session takes after its start; each session has its own, so that nothing leaks into others. */
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

  /** For the session of this thread. Users may set the list anew, so it is looked at whenever the format is used. */
  def install(): Unit =
    SparkSession.getActiveSession.orElse(SparkSession.getDefaultSession).foreach { session =>
      val methods = session.experimental
      methods.synchronized {
        val missing = all.filterNot(rule => methods.extraOptimizations.exists(_ eq rule))
        if (missing.nonEmpty) methods.extraOptimizations ++= missing
      }
      ShreddingShape.register(session)
    }
}
