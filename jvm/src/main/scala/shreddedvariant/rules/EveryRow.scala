/**
 * Finds the strict accesses that Spark evaluates for every row of a leaf.
 *
 * The column of such an access may raise the error when a row is read whose cast fails ([[PathResult.Raising]]),
 * because the access would raise the error for the same row. Law: only projections are between the leaf and the
 * access, so no row is removed before the access, and no part of the expression decides whether the access is
 * evaluated. Nodes above the access do not matter: a row that a LIMIT or a join does not need is not read
 * either. A row may be read before a filter is evaluated, so an access above a filter does not count.
 * Attributes of a union do not count: above the union they also hold rows of the other children, for which
 * accesses in the first child are not evaluated.
 */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.WriteFiles
import org.apache.spark.sql.types.Decimal

private[rules] final class EveryRow(plan: LogicalPlan, leaves: ScannedTables, finder: AccessFinder) {

  /** Attributes of exactly one leaf: a second leaf with the same attributes may have other nodes above it. */
  private val unambiguous: Set[ExprId] =
    plan.collectLeaves().flatMap(_.output.map(_.exprId)).groupBy(identity).collect {
      case (id, Seq(_)) => id
    }.toSet

  /** Attributes of nodes that return rows of several children; an attribute of a join is of one side. */
  private val shared: Set[ExprId] = plan.collect {
    case node if node.children.size > 1 && !node.isInstanceOf[Join] => node.output.map(_.exprId)
  }.flatten.toSet

  def accesses: Seq[PathAccess] = (fromRoot(plan) ++ plan.flatMap {
    case a: Aggregate => certain(a.groupingExpressions ++ a.aggregateExpressions.flatMap(arguments), a.child)
    case f: Filter => certain(first(f.condition).toSeq, f.child)
    // The other keys are compared only if the first keys are equal. A sort with a limit does not compare a row
    // that is the only one; such a row raises here.
    case s: Sort => certain(s.order.take(1).map(_.child), s.child) ++ whole(s.child)
    case _ => Nil
  }).filterNot(access => shared(access.ref.attribute))

  /** The accesses in the projections that return the rows of the query. */
  private def fromRoot(node: LogicalPlan): Seq[PathAccess] = node match {
    case p: Project => whole(p) ++ (if (p.child.isInstanceOf[Project]) Nil else fromRoot(p.child))
    case _: Command | _: Sort | _: RepartitionOperation | _: WriteFiles => node.children match {
        case Seq(child) => fromRoot(child)
        case _ => Nil
      }
    case _ => Nil
  }

  /** The accesses in a projection below a node that evaluates all columns, such as the root or a sort. */
  private def whole(node: LogicalPlan): Seq[PathAccess] = node match {
    case p: Project => certain(p.projectList, p.child)
    case _ => Nil
  }

  /** The accesses in expressions over the rows of a node, if these are all rows of a leaf. */
  private def certain(expressions: Seq[Expression], below: LogicalPlan): Seq[PathAccess] = {
    val evaluated = expressions.flatMap(unconditional)
    below match {
      case p: Project if p.projectList.forall(_.deterministic) =>
        val read = AttributeSet(evaluated.collect { case a: Attribute => a })
        val deeper = certain(p.projectList.filter(c => read.contains(c.toAttribute)), p.child)
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

  private def arguments(e: Expression): Seq[Expression] = e.collect {
    case AggregateExpression(function, _, _, None, _) => EveryRow.arguments(function)
  }.flatten

  /**
   * The conjunct of a filter that Spark evaluates first. Spark's generated code evaluates IS NOT NULL just
   * before another conjunct over the same attributes, or else last: so such a test is first only if it is the
   * only conjunct. Tests of the variant itself do not matter, since an access to a NULL variant does not fail.
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

  /** The parts of an expression that are evaluated whenever the expression is, including the expression. */
  private def unconditional(e: Expression): Seq[Expression] =
    e +: (if (finder.access(e).isDefined) Nil else EveryRow.operands(e).flatMap(unconditional))
}

private[rules] object EveryRow {

  /**
   * The operands that Spark evaluates whenever it evaluates the expression, interpreted and compiled; `EveryRowSuite`
   * checks this. None for operators that are not listed here.
   */
  def operands(e: Expression): Seq[Expression] = e match {
    case _: Alias | _: Cast | _: UnaryMinus | _: Not | _: IsNull | _: IsNotNull => e.children
    case _: And | _: Or | _: If | _: CaseWhen | _: Coalesce => e.children.take(1)
    case In(value, list) if list.nonEmpty => Seq(value)
    case InSet(value, set) if set.nonEmpty => Seq(value)
    case _: EqualNullSafe | _: Least | _: Greatest => e.children
    case Division(left, right) => right +: Seq(left).filter(_ => isNotZero(right))
    case _: Add | _: Subtract | _: Multiply | _: BitwiseAnd | _: BitwiseOr | _: BitwiseXor | _: EqualTo |
        _: LessThan | _: LessThanOrEqual | _: GreaterThan | _: GreaterThanOrEqual | _: StringPredicate =>
      // If the left operand is NULL, the right one is not evaluated.
      if (e.children.head.nullable) e.children.take(1) else e.children
    case _ => Nil
  }

  /**
   * The arguments that an aggregate function evaluates for each row. A count does not evaluate an argument that
   * is never NULL, and a sum does not evaluate such an argument after an overflow.
   */
  def arguments(function: AggregateFunction): Seq[Expression] = function match {
    case _: Average | _: Min | _: Max => function.children
    case _: Sum | Count(Seq(_)) => function.children.filter(_.nullable)
    case _ => Nil
  }

  /** Operators that evaluate the right operand first, and the left one unless the right one is NULL or zero. */
  private object Division {
    def unapply(e: BinaryArithmetic): Option[(Expression, Expression)] = e match {
      case _: Divide | _: IntegralDivide | _: Remainder | _: Pmod => Some((e.left, e.right))
      case _ => None
    }
  }

  private def isNotZero(e: Expression) = e match {
    case Literal(number: Decimal, _) => !number.isZero
    case Literal(number: Number, _) => number.doubleValue != 0
    case _ => false
  }
}
