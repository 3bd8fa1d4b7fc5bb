/** EXPLAIN names who takes a variant or map whole. */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.v2._
import org.apache.spark.sql.types._

class WholeReadsSuite extends shreddedvariant.Suite with StubPlans {
  private val all =
    withPathScans(V2ScanRelationPushDown(Project(Seq(id, v, m, struct), relationOf(id, v, m, struct))))

  private def reasons(plan: LogicalPlan): Map[String, String] = WholeReads(plan).collectFirst {
    case r: DataSourceV2ScanRelation => r.scan.asInstanceOf[PathScan].whole
  }.get

  private def says(title: String, e: Expression, column: String, reason: String)(implicit
      loc: munit.Location
  ): Unit =
    test(s"the reason: $title")(assertEquals(reasons(select(all, named(e))).get(column), Some(reason)))

  says(
    "a path that is not constant",
    get(v, "$").copy(path = Cast(id, StringType)),
    "v",
    "try_variant_get(v, id) has a path that is not constant"
  )
  says(
    "a key that is not constant",
    GetMapValue(m, Cast(id, StringType)),
    "m",
    "m[id] has a key that is not constant"
  )
  says("an expression", Coalesce(Seq(v, v)), "v", "coalesce(v, v) takes it whole")
  says("a struct around it", Coalesce(Seq(struct, struct)), "s", "coalesce(s, s) takes it whole")
  says("a rename", v, "v", "passed on")
  says(
    "an access that was not replaced",
    get(v, "$.a"),
    "v",
    "try_variant_get(v, $.a) is above a node that does not pass columns on"
  )

  test("columns that are no variants or maps have no reason, and a long one is cut") {
    assertEquals(reasons(select(all, id)).keySet, Set("v", "m", "s"))
    val long = Coalesce(Seq.fill(30)(v))
    assert(reasons(select(all, named(long)))("v").startsWith("coalesce(v, v, v"), "a long expression")
    assert(reasons(select(all, named(long)))("v").endsWith("… takes it whole"), "a long expression")
  }

  test("a plan whose reasons are known stays the same object") {
    val plan = WholeReads(select(all, named(Coalesce(Seq(v, v)))))
    assert(WholeReads(plan) eq plan)
  }
}
