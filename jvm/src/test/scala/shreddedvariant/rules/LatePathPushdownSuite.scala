/** Laws of the rules, without a session: plans without accesses do not change, nor do rewritten plans. */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.variant.VariantGet
import org.apache.spark.sql.catalyst.plans.{Inner, LeftOuter}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.v2._
import org.apache.spark.sql.types._

class LatePathPushdownSuite extends shreddedvariant.Suite with StubPlans {
  test("a plan without accesses to paths of our tables stays the same object") {
    for (
      plan <- Seq(
        scan,
        select(scan, id),
        select(scan, v),
        Filter(GreaterThan(id, Literal(1)), scan),
        select(LocalRelation(v), named(get(v, "$.a"))),
        select(scan, named(get(Coalesce(Seq(v, v)), "$.a"))),
        select(scan, named(VariantGet(v, Cast(id, StringType), IntegerType, failOnError = false, None)))
      )
    ) assert(LatePathPushdown(plan) eq plan, plan)
  }

  test("an access stays if a node below does not pass on its column, and the plan stays the same") {
    val opaque = Union(Seq(select(scan, v), select(LocalRelation(v.newInstance()), v.newInstance())))
    val plan = select(opaque, named(get(opaque.output.head, "$.a")))
    assert(LatePathPushdown(plan) eq plan)
  }

  test("a built scan is built again with the path, and only once") {
    val plan = Filter(GreaterThan(get(v, "$.a"), Literal(1)), select(scan, id, v))
    val late = LatePathPushdown(select(plan, id))
    assertEquals(read(late), Seq(Seq("id", "v.a::INT")))
    assertEquals(late.output.map(_.exprId), Seq(id.exprId))
    assert(LatePathPushdown(late) eq late)
  }

  test("the early and the late rule give the same scan, and the late rule adds paths to the early one") {
    def plan(leaf: LogicalPlan) = select(leaf, named(get(v, "$.a")), named(get(v, "$.b", StringType)))
    val early = V2ScanRelationPushDown(PathPushdown(plan(relation)))
    assertEquals(read(LatePathPushdown(plan(scan))), read(early))
    assert(LatePathPushdown(early) eq early)

    val half = V2ScanRelationPushDown(PathPushdown(select(relation, v, named(get(v, "$.a")))))
    val more = LatePathPushdown(select(half, half.output(1), named(get(v, "$.a")), named(get(v, "$.b"))))
    assertEquals(read(more), Seq(Seq("v.a::INT", "v.b::INT")))
  }

  test("a scan with more than columns and filters stays as it is") {
    val limited = scan.transform { case s: DataSourceV2ScanRelation => s.copy(mergeableScan = false) }
    val plan = select(limited, named(get(v, "$.a")))
    assert(LatePathPushdown(plan) eq plan)
  }

  test("the pushed filters of a scan are in the plan again") {
    val filtered = scan.transform { case s: DataSourceV2ScanRelation =>
      s.copy(output = Seq(v), pushedFilters = Seq(EqualTo(id, Literal(1))))
    }
    val late = LatePathPushdown(select(filtered, named(get(v, "$.a"))))
    assertEquals(late.collect { case Filter(condition, _) => condition }, Seq(EqualTo(id, Literal(1))))
  }

  // What Spark makes of an access in an aggregate, a join or a sort.
  private val moved = Alias(get(v, "$.a", strict = true), "_ve0")()
  private val below = select(scan, id, moved)
  private def total(filter: Option[Expression]) =
    Alias(Sum(moved.toAttribute).toAggregateExpression(isDistinct = false, filter), "x")()

  /** Whether a projection evaluates a strict cast. */
  private def isEager(plan: LogicalPlan) =
    plan.exists {
      case p: Project => p.projectList.exists(_.exists(StrictCast.unapply(_).isDefined)); case _ => false
    }

  test("a strict access that Spark has moved into a projection is evaluated where the query has it") {
    val other = LocalRelation(AttributeReference("k", IntegerType)())
    val condition = And(EqualTo(id, other.output.head), GreaterThan(moved.toAttribute, id))
    for (
      plan <- Seq(
        Aggregate(Nil, Seq(total(Some(GreaterThan(id, Literal(1))))), below),
        select(Join(below, other, LeftOuter, Some(condition), JoinHint.NONE), id),
        select(Sort(Seq(SortOrder(moved.toAttribute, Ascending)), true, Limit(Literal(2), below)), id)
      )
    ) {
      val late = LatePathPushdown(plan)
      assertEquals(read(late), Seq(Seq("id", "v.a::INT", "v.a::INT failing")), plan)
      assert(
        late.exists(_.expressions.exists(_.exists(StrictCast.unapply(_).isDefined))) && !isEager(late),
        late
      )
      assertEquals(late.output, plan.output)
      assert(LatePathPushdown(late) eq late)
    }
    val again = Alias(moved.toAttribute, "_ve1")()
    val filtered = Sum(again.toAttribute).toAggregateExpression(isDistinct = false, Some(IsNotNull(id)))
    assert(!isEager(LatePathPushdown(Aggregate(Nil, Seq(named(filtered)), select(below, id, again)))))
    val every = LatePathPushdown(Aggregate(Nil, Seq(total(None)), below))
    assertEquals(read(every), Seq(Seq("v.a::INT raising")))
  }

  test("a column of a moved access stays where other nodes or dynamic pruning have it") {
    val column = moved.toAttribute
    val window = Window(Seq(named(Add(column, Literal(1)))), Nil, Nil, below)
    val probe = LocalRelation(AttributeReference("k", IntegerType)())
    val joined = Join(
      Filter(pruned(probe.output.head, below, column), probe),
      below,
      Inner,
      Some(EqualTo(probe.output.head, column)),
      JoinHint.NONE
    )
    for (
      plan <- Seq(below, select(window, id), Aggregate(Seq(column), Seq(column), below), select(joined, id))
    )
      assert(PulledOut.putBack(plan) eq plan, plan)
  }

  private def pruned(key: Attribute, of: LogicalPlan, by: Attribute) =
    DynamicPruningSubquery(key, of, Seq(by), Seq(0), onlyInBroadcast = true)(None)

  private def builds(plan: LogicalPlan): Seq[LogicalPlan] =
    plan.collect { case Filter(p: DynamicPruningSubquery, _) => p.buildQuery }

  test(
    "dynamic pruning uses the rewritten side of its join, not the copy that was made before"
  ) {
    val (key, w) = (AttributeReference("id", IntegerType)(), AttributeReference("v", VariantType)())
    val two = relation.copy(output = Seq(key, w))
    val probe = V2ScanRelationPushDown(Project(Seq(key), two))
    val build = select(Filter(GreaterThan(get(v, "$.a"), Literal(1)), scan), id)
    def join(left: LogicalPlan, right: LogicalPlan) =
      Join(left, right, Inner, Some(EqualTo(key, id)), JoinHint.NONE)
    val late = LatePathPushdown(join(Filter(pruned(key, build, id), probe), build))
    val right = late.collectFirst { case j: Join => j.right }.get
    assertEquals(read(right), Seq(Seq("id", "v.a::INT")))
    assertEquals(builds(late), Seq(right))
    val turned = LatePathPushdown(join(build, Filter(pruned(key, build, id), probe)))
    assertEquals(builds(turned).flatMap(read), Seq(Seq("id", "v.a::INT")))
    assert(LatePathPushdown(late) eq late)

    val deep = LatePathPushdown(join(select(Filter(pruned(key, build, id), probe), key), build))
    assertEquals(builds(deep).flatMap(read), Seq(Seq("id", "v.a::INT")))
  }

  test(
    "dynamic pruning keeps its copy if the other side lacks the key, or has dynamic pruning itself"
  ) {
    val (key, w) = (AttributeReference("id", IntegerType)(), AttributeReference("v", VariantType)())
    val probe = V2ScanRelationPushDown(Project(Seq(key), relation.copy(output = Seq(key, w))))
    val build = select(Filter(GreaterThan(get(v, "$.a"), Literal(1)), scan), id)
    def join(left: LogicalPlan, right: LogicalPlan) =
      Join(left, right, Inner, Some(EqualTo(key, id)), JoinHint.NONE)
    val gone = join(Filter(pruned(key, build, AttributeReference("x", IntegerType)()), probe), build)
    assertEquals(builds(LatePathPushdown(gone)), Seq[LogicalPlan](build))
    val other = Filter(pruned(id, probe, key), build)
    val both = join(Filter(pruned(key, build, id), probe), other)
    assert(builds(LatePathPushdown(both)).exists(_ eq build))
  }
}
