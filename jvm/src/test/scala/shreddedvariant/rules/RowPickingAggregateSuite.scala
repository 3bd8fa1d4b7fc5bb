/** The aggregate functions whose choice of a row does not depend on the value they return. */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical._

class RowPickingAggregateSuite extends shreddedvariant.Suite with StubPlans {
  private def of(function: AggregateFunction, isDistinct: Boolean = false) =
    AggregateExpression(function, Complete, isDistinct)

  private val picks = Seq[(String, Expression => AggregateFunction)](
    "first" -> (First(_, ignoreNulls = false)),
    "last" -> (Last(_, ignoreNulls = false)),
    "max_by" -> (MaxBy(_, id)),
    "min_by" -> (MinBy(_, id))
  )

  for ((name, function) <- picks)
    test(s"$name of a variant is the same function of a path, with a result of its own") {
      val whole = of(function(v))
      val (value, ofOther) = RowPickingAggregate.unapply(whole).get
      assertEquals(value, v: Expression)
      val AggregateExpression(picked, mode, false, None, resultId) = ofOther(id): @unchecked
      assertEquals(picked, function(id))
      assertEquals(mode, whole.mode)
      assertNotEquals(resultId, whole.resultId)
    }

  test("functions that choose by the value pick no row") {
    for (
      e <- Seq(
        of(First(v, ignoreNulls = true)),
        of(Last(v, ignoreNulls = true)),
        of(First(v, ignoreNulls = false), isDistinct = true),
        of(Max(id)),
        of(Count(Seq(v))),
        v
      )
    ) assertEquals(RowPickingAggregate.unapply(e), None, e)
  }

  private def aggregate(columns: NamedExpression*) = Aggregate(Seq(id), columns, relation)

  test("a function inside of a larger expression becomes a column that a projection above reads") {
    val column = named(get(of(First(v, ignoreNulls = false)), "$.a"))
    RowPickingAggregate.named(aggregate(id, column)) match {
      case Project(Seq(key: Attribute, Alias(read, "x")), below: Aggregate) =>
        assertEquals(key.exprId, id.exprId)
        val picked = below.aggregateExpressions.last
        assertEquals(read, get(picked.toAttribute, "$.a"): Expression)
        assert(RowPickingAggregate.unapply(picked.children.head).exists(_._1 == v))
      case other => fail(other.toString)
    }
  }

  test("the same function in two expressions becomes one column, and the output keeps its attributes") {
    val columns = Seq("$.a", "$.b").map(path => named(get(of(First(v, ignoreNulls = false)), path)))
    val plan = aggregate(columns: _*)
    val found = RowPickingAggregate.named(plan)
    assertEquals(found.collect { case a: Aggregate => a.aggregateExpressions.size }, Seq(1))
    assertEquals(found.output.map(_.exprId), plan.output.map(_.exprId))
  }

  test(
    "an aggregation stays if it picks no variant inside of an expression, or if the rest cannot be above it"
  ) {
    for (
      plan <- Seq(
        aggregate(named(of(First(v, ignoreNulls = false)))),
        aggregate(named(Add(of(First(id, ignoreNulls = false)), Literal(1)))),
        aggregate(named(Add(get(of(First(v, ignoreNulls = false)), "$.a"), of(Max(id)))))
      )
    ) assert(RowPickingAggregate.named(plan) eq plan, plan)
  }
}
