/**
 * Tests that variants and maps are not NULL, below joins.
 *
 * Spark adds them to whatever a join compares, and to read a path costs less than to know as well if its variant is
 * there. Law: where the condition is not true of a row whose variant is NULL, that row joins with none, and a side whose
 * rows are lost then, or never come out, gives the same without the test. Nor may such a row, which comes as far as the
 * condition now, raise anything there.
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
          conditions.forall(isQuiet(_, ref, side.outputSet, finder))
        }
      case _ => false
    }
    def dropped(node: LogicalPlan): LogicalPlan = node match {
      case p: Project => p.copy(child = dropped(p.child))
      case f: Filter =>
        val kept = Conjuncts(f.condition).filterNot(isImplied)
        val child = dropped(f.child)
        kept.reduceOption(And).fold(child)(Filter(_, child))
      // A scan that is built anew: it takes these filters over again.
      case s: DataSourceV2ScanRelation =>
        s.copy(pushedFilters = s.pushedFilters.flatMap(Conjuncts(_)).filterNot(isImplied))
      case other => other
    }
    dropped(side)
  }

  /** Whether an expression raises nothing in rows of a side whose variant or map is NULL. */
  private def isQuiet(e: Expression, ref: ColumnRef, side: AttributeSet, finder: AccessFinder): Boolean = {
    def areQuiet = e.children.forall(isQuiet(_, ref, side, finder))
    e match {
      case _: Attribute | _: Literal => true
      case _ if !e.references.exists(side.contains) || finder.access(e).exists(_.ref == ref) => true
      case _: BinaryComparison | _: And | _: Or | _: Not | _: IsNull | _: IsNotNull | _: In | _: GetStructField =>
        areQuiet
      case c: Cast if Cast.canUpCast(c.child.dataType, c.dataType) => areQuiet
      case _ => e.nullIntolerant && e.children.exists(failsAtNull(_, ref, finder)) && areQuiet
    }
  }
}
