/**
 * Strict accesses that are made for every row of a leaf anyway.
 *
 * Their column may raise when a row is read in which the cast fails ([[Wanted.Raising]]): the access would have raised
 * for the same row. Law: between the leaf and the access stand only projections, so that no row is removed before the
 * access, and nothing in the expression around it decides whether it is evaluated. What stands above does not matter: a
 * row that a LIMIT or a join never asks for is not read either. A row may be read before a filter has seen it, so an
 * access above a filter is not met by every row. Attributes that a union gives are left out: above it they hold the
 * rows of its other children as well, which do not meet the accesses of the first one.
 */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.WriteFiles
import org.apache.spark.sql.types.Decimal

private[rules] final class EveryRow(plan: LogicalPlan, leaves: ScannedTables, finder: AccessFinder) {

  /** Attributes that stand in one leaf only: those of another could have other nodes above them. */
  private val unambiguous: Set[ExprId] =
    plan.collectLeaves().flatMap(_.output.map(_.exprId)).groupBy(identity).collect {
      case (id, Seq(_)) => id
    }.toSet

  /** Attributes that hold rows of several children of a node; a join has each from one of its sides. */
  private val shared: Set[ExprId] = plan.collect {
    case node if node.children.size > 1 && !node.isInstanceOf[Join] => node.output.map(_.exprId)
  }.flatten.toSet

  def accesses: Seq[PathAccess] = (fromRoot(plan) ++ plan.flatMap {
    case a: Aggregate => met(a.groupingExpressions ++ a.aggregateExpressions.flatMap(arguments), a.child)
    case f: Filter => met(first(f.condition).toSeq, f.child)
    // Rows that differ in the first key are not compared by the others.
    case s: Sort => met(s.order.take(1).map(_.child), s.child) ++ whole(s.child)
    case _ => Nil
  }).filterNot(access => shared(access.ref.attribute))

  /** The projections that give the rows of the whole query. */
  private def fromRoot(node: LogicalPlan): Seq[PathAccess] = node match {
    case p: Project => whole(p) ++ (if (p.child.isInstanceOf[Project]) Nil else fromRoot(p.child))
    case _: Command | _: Sort | _: RepartitionOperation | _: WriteFiles => node.children match {
        case Seq(child) => fromRoot(child)
        case _ => Nil
      }
    case _ => Nil
  }

  /** What makes whole rows of its child, as the root and a sort do, evaluates each column of them. */
  private def whole(node: LogicalPlan): Seq[PathAccess] = node match {
    case p: Project => met(p.projectList, p.child)
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

  private def arguments(e: Expression): Seq[Expression] = e.collect {
    case AggregateExpression(function, _, _, None, _) => EveryRow.arguments(function)
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
  private def unconditional(e: Expression): Seq[Expression] =
    e +: (if (finder.access(e).isDefined) Nil else EveryRow.operands(e).flatMap(unconditional))
}

private[rules] object EveryRow {

  /**
   * The operands that Spark evaluates whenever it evaluates the expression, interpreted and compiled; `EveryRowSuite`
   * holds Spark to it. Of operators that are not named here, none.
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
      // A NULL on the left spares the right side.
      if (e.children.head.nullable) e.children.take(1) else e.children
    case _ => Nil
  }

  /**
   * What an aggregate function evaluates for each row. Of what is never NULL a count needs no value, and a sum none
   * after it has overflown.
   */
  def arguments(function: AggregateFunction): Seq[Expression] = function match {
    case _: Average | _: Min | _: Max => function.children
    case _: Sum | Count(Seq(_)) => function.children.filter(_.nullable)
    case _ => Nil
  }

  /** These evaluate their right side first, and the left one not where that is NULL or zero. */
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
