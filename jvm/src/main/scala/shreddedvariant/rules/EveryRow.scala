/**
 * Strict accesses that are made for every row of a leaf anyway.
 *
 * Their column may raise when a row is read in which the cast fails ([[Wanted.Raising]]): the access would have raised
 * for the same row. Law: between the leaf and the access stand only projections, so that no row is removed before the
 * access, and nothing in the expression around it decides whether it is evaluated. What stands above does not matter: a
 * row that a LIMIT or a join never asks for is not read either. A row may be read before a filter has seen it, so an
 * access above a filter is not met by every row.
 */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.WriteFiles

private[rules] final class EveryRow(plan: LogicalPlan, leaves: PathLeaves, finder: AccessFinder) {

  /** Attributes that stand in one leaf only: those of another could have other nodes above them. */
  private val unambiguous: Set[ExprId] =
    plan.collectLeaves().flatMap(_.output.map(_.exprId)).groupBy(identity).collect {
      case (id, Seq(_)) => id
    }.toSet

  def accesses: Seq[PathAccess] = fromRoot(plan) ++ plan.flatMap {
    case a: Aggregate => met(a.groupingExpressions ++ a.aggregateExpressions.flatMap(arguments), a.child)
    case f: Filter => met(first(f.condition).toSeq, f.child)
    case s: Sort => met(s.order.map(_.child), s.child)
    case _ => Nil
  }

  /** The projections that give the rows of the whole query. */
  private def fromRoot(node: LogicalPlan): Seq[PathAccess] = node match {
    case p: Project => met(p.projectList, p.child) ++ fromRoot(p.child)
    case _: Command | _: Sort | _: RepartitionOperation | _: WriteFiles => node.children match {
        case Seq(child) => fromRoot(child)
        case _ => Nil
      }
    case _ => Nil
  }

  /** The accesses in expressions that are evaluated for every row of a node, if these are all the rows of a leaf. */
  private def met(expressions: Seq[Expression], below: LogicalPlan): Seq[PathAccess] = {
    val evaluated = expressions.flatMap(unconditional)
    below match {
      case p: Project if p.projectList.forall(_.deterministic) =>
        val read = AttributeSet(evaluated.collect { case a: Attribute => a })
        val deeper = met(p.projectList.filter(c => read.contains(c.toAttribute)), p.child)
        if (reachesLeaf(p.child)) strict(evaluated) ++ deeper else Nil
      case leaf if isLeaf(leaf) => strict(evaluated)
      case _ => Nil
    }
  }

  @scala.annotation.tailrec
  private def reachesLeaf(node: LogicalPlan): Boolean = node match {
    case p: Project => p.projectList.forall(_.deterministic) && reachesLeaf(p.child)
    case other => isLeaf(other)
  }

  private def isLeaf(node: LogicalPlan) =
    leaves.find(node).exists(leaf => leaf.columns.forall(a => unambiguous.contains(a.exprId)))

  private def strict(evaluated: Seq[Expression]): Seq[PathAccess] =
    evaluated.flatMap(finder.access).collect { case access: PathAccess if access.canFail => access }

  /** What an aggregate function evaluates for each row. */
  private def arguments(e: Expression): Seq[Expression] = e.collect {
    case AggregateExpression(function, _, _, None, _) => function match {
        case _: Sum | _: Average | _: Min | _: Max | _: Count if function.children.size == 1 =>
          function.children
        case _ => Nil
      }
  }.flatten

  /**
   * The conjunct of a filter that is evaluated first. Spark's generated code tests for NULL just before it evaluates
   * another conjunct over the same attributes, and other tests last: so a test for NULL is first only if it is alone.
   * The presence of the variant itself decides nothing, since an access to a NULL variant does not fail.
   */
  private def first(condition: Expression): Option[Expression] = {
    val (present, others) = Conjuncts(condition).partition(presence(_).isDefined)
    val tested = AttributeSet(others.collect { case IsNotNull(child) => child })
    others.headOption.filter { first =>
      val isFirst = !first.isInstanceOf[IsNotNull] && !first.references.exists(tested.contains)
      (isFirst || others.size == 1) &&
      strict(unconditional(first)).forall(access => present.flatMap(presence).forall(_ == access.ref))
    }
  }

  private def presence(e: Expression): Option[ColumnRef] = e match {
    case IsNotNull(child) => finder.column(child)
    case _ => None
  }

  /** The parts of an expression that are evaluated whenever it is, itself included. */
  private def unconditional(e: Expression): Seq[Expression] = e +: (e match {
    case _ if finder.access(e).isDefined => Nil
    case _: Alias | _: Cast | _: UnaryMinus | _: Not | _: IsNull | _: IsNotNull | _: And | _: Or | _: In |
        _: InSet | _: StringPredicate => unconditional(e.children.head)
    // A NULL on the left spares the right side.
    case _: BinaryArithmetic | _: BinaryComparison if !e.children.head.nullable =>
      e.children.flatMap(unconditional)
    case _: BinaryArithmetic | _: BinaryComparison => unconditional(e.children.head)
    case _ => Nil
  })
}
