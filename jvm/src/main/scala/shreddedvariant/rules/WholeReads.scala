/** Finds the reasons why scans read variants and maps whole, for EXPLAIN. */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.objects.{Invoke, StaticInvoke}
import org.apache.spark.sql.catalyst.expressions.variant.VariantGet
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation

object WholeReads extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    lazy val reasons = new WholeReads(plan)
    plan.transform {
      case r @ DataSourceV2ScanRelation(relation, scan: PathScan, _, _, _, _, _) =>
        val byColumn = (for {
          leaf <- BuiltScans.find(r).toSeq
          column <- leaf.columns
          reason <- reasons.of(column.exprId)
        } yield column.name -> reason).toMap
        if (byColumn == scan.whole) r
        else {
          // The table has the reasons too, because scans that differ only in reasons are equal.
          val table = Relations.table(relation).get.withWhole(byColumn)
          r.copy(relation = relation.copy(table = table), scan = scan.withWhole(byColumn))
        }
    }
  }
}

private object BuiltScans extends ScannedTables {
  override def find(plan: LogicalPlan): Option[ScannedTable] = plan match {
    case s: DataSourceV2ScanRelation =>
      Relations.table(s.relation).map(ScannedTable(_, s.output, s.relation, Nil))
    case _ => None
  }
}

private final class WholeReads(plan: LogicalPlan) {
  private val origins = new VariantOrigins(plan, BuiltScans)
  private val finder = origins.finder

  /** The reasons by column; of several reasons for a column, the one of the topmost node. */
  private val takers: Map[ExprId, String] =
    plan.flatMap(_.expressions).flatMap(e => reasons(e)).reverse.toMap

  /** None if the column holds no variants or maps. */
  def of(column: ExprId): Option[String] =
    if (origins.columns.contains(column)) Some(takers.getOrElse(column, "passed on")) else None

  private def reasons(e: Expression): Seq[(ExprId, String)] = {
    val operands = e match {
      case _: Alias | _: GetStructField => Nil
      case aggregate: AggregateExpression => aggregate.aggregateFunction.children
      case _ => e.children
    }
    val whole = operands.flatMap(child => finder.part(child).map(_._1).orElse(finder.holder(child)))
    val reason = e match {
      case VariantGet(_, path, _, _, _) if !path.foldable => s"${text(e)} has a path that is not constant"
      case GetMapValue(_, key) if !key.foldable => s"${text(e)} has a key that is not constant"
      case ElementAt(_, key, _, _) if !key.foldable => s"${text(e)} has a key that is not constant"
      case _ if finder.access(e).isDefined || finder.presence(e).isDefined =>
        s"${text(e)} is above a node that does not pass columns on"
      case _ => s"${text(e)} takes it whole"
    }
    whole.flatMap(ref => roots(ref.attribute)).map(_ -> reason) ++ e.children.flatMap(reasons)
  }

  private def roots(attribute: ExprId): Set[ExprId] =
    (if (origins.columns.contains(attribute)) Set(attribute) else Set.empty[ExprId]) ++
      origins.origin(attribute).toSet.flatMap((o: Origin) => roots(o.ref.attribute)) ++
      origins.others(attribute).flatMap(roots)

  private def text(e: Expression): String = {
    val sql = e match {
      case call: StaticInvoke => function(call.functionName, call.arguments)
      case call: Invoke => function(nameOf(call.targetObject, call.functionName), call.arguments)
      case other => toPrettySQL(other)
    }
    if (sql.length <= 60) sql else sql.take(59) + "…"
  }

  private def function(name: String, arguments: Seq[Expression]) =
    arguments.filterNot(_.foldable).map(text).mkString(
      name.replaceAll("([A-Z])", "_$1").toLowerCase + "(",
      ", ",
      ")"
    )

  /** The name of a function; Spark replaces some functions by calls of evaluators. */
  private def nameOf(evaluator: Expression, method: String): String = evaluator match {
    case Literal(value, _) if value != null =>
      value.getClass.getSimpleName.stripSuffix("Evaluator") match {
        case "StructsToJson" => "to_json"
        case other => other.take(1).toLowerCase + other.drop(1)
      }
    case _ => method
  }
}
