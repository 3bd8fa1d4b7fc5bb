/** Which nodes pass the hidden columns of paths on, and what becomes of accesses and of whole variants above them. */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumnsUtils
import org.apache.spark.sql.connector.catalog.Column
import org.apache.spark.sql.execution.datasources.v2.V2ScanRelationPushDown
import org.apache.spark.sql.types._

class PathPushdownSuite extends shreddedvariant.Suite with StubPlans {
  private val (otherId, otherV) = (id.newInstance(), v.newInstance())
  private val other = relationOf(otherId, otherV)
  private val a = get(v, "$.a")
  private val strict = get(v, "$.a", strict = true)

  /** What the scans read that Spark builds of the rewritten plan. */
  private def scans(plan: LogicalPlan) = read(V2ScanRelationPushDown(PathPushdown(plan)))

  private def pushed(title: String, plan: LogicalPlan, expected: Seq[String]*)(implicit
      loc: munit.Location
  ): Unit = test(s"scans read: $title") {
    val found = PathPushdown(plan)
    assertEquals(scans(plan), expected)
    assertEquals(found.output.map(_.exprId), plan.output.map(_.exprId))
    assert(PathPushdown(found) eq found, "a plan that is rewritten stays as it is")
  }

  private val keys = EqualTo(id, otherId)
  private def join(kind: JoinType, condition: Expression = keys) =
    Join(relation, other, kind, Some(condition), JoinHint.NONE)
  private def complete(function: AggregateFunction) =
    AggregateExpression(function, Complete, isDistinct = false)

  pushed("a projection", select(relation, named(a)), Seq("v.a::INT"))
  pushed("the same path twice is one column", select(relation, named(Add(a, a))), Seq("v.a::INT"))
  pushed(
    "a renamed part of a variant",
    select(
      select(relation, Alias(get(v, "$.o", VariantType), "o")(otherV.exprId)),
      named(get(otherV, "$.b"))
    ),
    Seq("v.o.b::INT")
  )
  pushed(
    "a filter and a limit",
    select(Limit(Literal(3), Filter(GreaterThan(a, Literal(1)), relation)), id),
    Seq("id", "v.a::INT")
  )
  pushed(
    "both sides of a join",
    select(join(Inner), named(Add(a, get(otherV, "$.b")))),
    Seq("id", "v.a::INT"),
    Seq("id", "v.b::INT")
  )
  pushed(
    "an outer join",
    select(join(LeftOuter), named(get(otherV, "$.b"))),
    Seq("id"),
    Seq("id", "v.b::INT")
  )
  pushed(
    "a condition of a join",
    select(join(Inner, EqualTo(a, get(otherV, "$.a"))), id),
    Seq("id", "v.a::INT"),
    Seq("v.a::INT")
  )
  pushed(
    "an aggregation that groups by a path",
    Aggregate(Seq(a), Seq(named(complete(Max(id)))), relation),
    Seq("id", "v.a::INT")
  )
  pushed(
    "an aggregation that picks a row",
    select(
      Aggregate(Seq(id), Seq(Alias(complete(First(v, ignoreNulls = false)), "f")(otherV.exprId)), relation),
      named(get(otherV, "$.a"))
    ),
    Seq("id", "v.a::INT")
  )
  pushed(
    "a union, where both children have the path",
    select(Union(Seq(select(relation, v), select(other, otherV))), named(a)),
    Seq("v.a::INT"),
    Seq("v.a::INT")
  )
  pushed(
    "a field of a struct",
    select(relationOf(id, struct), named(get(GetStructField(struct, 1), "$.a"))),
    Seq("s.w.a::INT")
  )
  pushed(
    "an entry of a map",
    select(relationOf(id, m), named(GetMapValue(m, Literal("k")))),
    Seq("m['k']::INT")
  )
  pushed(
    "a test for NULL",
    select(relation, named(IsNull(get(v, "$.a", VariantType)))),
    Seq("v.a present")
  )
  pushed("a variant that is read whole too", select(relation, v, named(a)), Seq("v", "v.a::INT"))
  pushed(
    "a strict cast that Spark evaluates for every row",
    select(relation, named(strict)),
    Seq("v.a::INT raising")
  )
  pushed(
    "a strict cast by which rows are sorted",
    select(Sort(Seq(SortOrder(strict, Ascending)), global = true, relation), id),
    Seq("id", "v.a::INT raising")
  )
  pushed(
    "a strict cast that Spark evaluates for some rows",
    select(relation, named(If(GreaterThan(id, Literal(1)), strict, Literal(0)))),
    Seq("id", "v.a::INT", "v.a::INT failing")
  )

  private def stays(title: String, plan: LogicalPlan)(implicit loc: munit.Location): Unit =
    test(s"the plan stays the same object: $title")(assert(PathPushdown(plan) eq plan))

  stays("no access", select(relation, v))
  stays("an access to another source", select(LocalRelation(v), named(a)))
  stays(
    "a union with another source", {
      val mixed = Union(Seq(select(relation, v), select(LocalRelation(otherV), otherV)))
      select(mixed, named(get(mixed.output.head, "$.a")))
    }
  )
  stays("a node that is not known", select(Distinct(select(relation, v)), named(a)))
  stays(
    "a column with a default, which files without the column have", {
      val defaults = new MetadataBuilder()
        .putString(ResolveDefaultColumnsUtils.EXISTS_DEFAULT_COLUMN_METADATA_KEY, "parse_json('1')").build()
      val withDefault = v.withMetadata(defaults).asInstanceOf[AttributeReference]
      select(relationOf(id, withDefault), named(get(withDefault, "$.a")))
    }
  )
  stays(
    "a table that has a column with the name of the path", {
      val taken = StubTable(Nil, Seq(Column.create("V.A::int", IntegerType)))
      select(relation.copy(table = taken), named(a))
    }
  )
}
