/** In recursive queries scans of this source lose dynamic pruning; all other dynamic pruning stays. */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._

class RecursivePruningSuite extends shreddedvariant.Suite with StubPlans {
  private val pruning =
    DynamicPruningSubquery(id, LocalRelation(id.newInstance()), Seq(id), Seq(0), onlyInBroadcast = true)(None)
  private val ours = withPathScans(scan)
  private val condition = And(GreaterThan(id, Literal(1)), pruning)

  private def loop(below: LogicalPlan) =
    UnionLoop(
      1,
      select(LocalRelation(id.newInstance()), id),
      select(Filter(condition, below), id),
      Seq(id.exprId)
    )

  private def conditions(plan: LogicalPlan) = plan.collect { case Filter(condition, _) => condition }

  test("a scan of this source in a recursion loses dynamic pruning, and keeps other filters") {
    assertEquals(
      conditions(RecursivePruning(loop(ours))),
      Seq[Expression](And(GreaterThan(id, Literal(1)), Literal.TrueLiteral))
    )
  }

  test("other scans, and scans outside of a recursion, keep dynamic pruning") {
    for (plan <- Seq(loop(scan), Filter(condition, ours))) assert(RecursivePruning(plan) eq plan, plan)
  }
}
