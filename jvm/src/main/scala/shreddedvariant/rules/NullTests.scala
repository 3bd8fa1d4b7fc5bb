/**
 * Removes tests that variants and maps are not NULL below joins.
 *
 * Spark adds such tests for the columns that a join compares, and a path is cheaper to read without the
 * presence of its variant. Law: if the condition is not true for a row whose variant is NULL, the row joins
 * with no row. So a side whose rows are not returned in this case, or never, gives the same result without the
 * test. Besides, the condition must not raise an error for such a row, because without the test the row reaches
 * the condition.
 */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation

private[rules] object NullTests {
  def left(join: Join, finder: AccessFinder): LogicalPlan = join.joinType match {
    case _: InnerLike | RightOuter | LeftSemi => without(join.left, join, finder)
    case _ => join.left
  }

  def right(join: Join, finder: AccessFinder): LogicalPlan = join.joinType match {
    case _: InnerLike | LeftOuter | LeftSemi | LeftAnti => without(join.right, join, finder)
    case _ => join.right
  }

  /** Whether an expression is false or NULL where the variant or map is NULL. */
  def failsAtNull(e: Expression, ref: ColumnRef, finder: AccessFinder): Boolean = e match {
    case IsNotNull(child) => failsAtNull(child, ref, finder)
    case _ if finder.column(e).contains(ref) => true
    case _ => e.nullIntolerant && e.children.exists(failsAtNull(_, ref, finder))
  }

  private def without(side: LogicalPlan, join: Join, finder: AccessFinder): LogicalPlan = {
    val conditions = join.condition.toSeq.flatMap(Conjuncts(_))
    def isImplied(test: Expression) = test match {
      case IsNotNull(child) => finder.column(child).exists { ref =>
          conditions.exists(failsAtNull(_, ref, finder)) &&
          conditions.forall(cannotRaise(_, ref, side.outputSet, finder))
        }
      case _ => false
    }
    def withoutTests(node: LogicalPlan): LogicalPlan = node match {
      case p: Project => p.copy(child = withoutTests(p.child))
      case f: Filter =>
        val kept = Conjuncts(f.condition).filterNot(isImplied)
        val child = withoutTests(f.child)
        kept.reduceOption(And).fold(child)(Filter(_, child))
      // The scan is built again from its pushed filters.
      case s: DataSourceV2ScanRelation =>
        s.copy(pushedFilters = s.pushedFilters.flatMap(Conjuncts(_)).filterNot(isImplied))
      case other => other
    }
    withoutTests(side)
  }

  /** Whether an expression raises no error in rows of a side whose variant or map is NULL. */
  private def cannotRaise(
      e: Expression,
      ref: ColumnRef,
      side: AttributeSet,
      finder: AccessFinder
  ): Boolean = {
    def childrenCannotRaise = e.children.forall(cannotRaise(_, ref, side, finder))
    e match {
      case _: Attribute | _: Literal => true
      case _ if !e.references.exists(side.contains) || finder.access(e).exists(_.ref == ref) => true
      case _: BinaryComparison | _: And | _: Or | _: Not | _: IsNull | _: IsNotNull | _: In | _: GetStructField =>
        childrenCannotRaise
      case c: Cast if Cast.canUpCast(c.child.dataType, c.dataType) => childrenCannotRaise
      case _ => e.nullIntolerant && e.children.exists(failsAtNull(_, ref, finder)) && childrenCannotRaise
    }
  }
}
