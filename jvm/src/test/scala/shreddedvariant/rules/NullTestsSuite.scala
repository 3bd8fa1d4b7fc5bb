/** Tests for NULL are removed below a join only on a side whose rows the join would not return for a NULL. */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._

class NullTestsSuite extends shreddedvariant.Suite with StubPlans {
  private val (otherId, otherV) = (id.newInstance(), v.newInstance())
  private val finder = new AccessFinder(Set(v.exprId, otherV.exprId))
  private val left = Filter(IsNotNull(v), relation)
  private val right = Filter(IsNotNull(otherV), relationOf(otherId, otherV))
  private val equal = EqualTo(get(v, "$.a"), get(otherV, "$.a"))

  private def removed(kind: JoinType, condition: Expression): (Boolean, Boolean) = {
    val join = Join(left, right, kind, Some(condition), JoinHint.NONE)
    (NullTests.left(join, finder) == left.child, NullTests.right(join, finder) == right.child)
  }

  for (
    (kind, sides) <- Seq[(JoinType, (Boolean, Boolean))](
      Inner -> (true, true),
      Cross -> (true, true),
      LeftOuter -> (false, true),
      RightOuter -> (true, false),
      FullOuter -> (false, false),
      LeftSemi -> (true, true),
      LeftAnti -> (false, true),
      ExistenceJoin(id) -> (false, false)
    )
  ) test(s"the sides of a join whose tests are removed: $kind")(assertEquals(removed(kind, equal), sides))

  private def keeps(title: String, condition: Expression)(implicit loc: munit.Location): Unit =
    test(s"the tests stay: $title")(assertEquals(removed(Inner, condition), (false, false)))

  keeps("the condition holds for NULLs", EqualNullSafe(get(v, "$.a"), get(otherV, "$.a")))
  keeps("an OR may hold for a NULL", Or(equal, EqualTo(id, otherId)))
  keeps("the condition reads other columns", EqualTo(id, otherId))
  keeps(
    "another conjunct may raise an error for a NULL",
    And(
      equal,
      EqualTo(
        Cast(Coalesce(Seq(get(v, "$.b", StringType), Literal("x"))), IntegerType),
        Cast(
          Coalesce(Seq(get(otherV, "$.b", StringType), Literal("x"))),
          IntegerType
        )
      )
    )
  )

  test("a conjunct of the condition is enough, and other conjuncts of the filter stay") {
    val positive = GreaterThan(id, Literal(1))
    val join = Join(
      left.copy(condition = And(IsNotNull(v), positive)),
      right,
      Inner,
      Some(And(EqualTo(id, otherId), equal)),
      JoinHint.NONE
    )
    assertEquals(NullTests.left(join, finder), Filter(positive, relation): LogicalPlan)
  }

  test("the operands of ANDs are conjuncts, and those of other operators are not") {
    def condition = AttributeReference("b", BooleanType)()
    val (a, b, c) = (condition, condition, condition)
    assertEquals(Conjuncts(And(And(a, b), Or(a, c))), Seq[Expression](a, b, Or(a, c)))
    assertEquals(Conjuncts(Not(And(a, b))), Seq[Expression](Not(And(a, b))))
  }
}
