/**
 * A strict cast that is evaluated lazily: `coalesce(value, variant_get(failing, '$', T))`.
 *
 * `failing` is NULL where the cast succeeds, so Spark itself raises the error, for the same rows. `value` is
 * NULL where a cast to a scalar fails. A value with parts may be the value of a lax cast too, with NULL for
 * parts that cannot be cast: so for it the error comes first.
 */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.variant.VariantGet
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

object StrictCast {

  /** `spelling` is [[FailedCast.spelling]] of the access that the cast replaces. */
  def apply(
      value: Expression,
      failing: Expression,
      target: DataType,
      zone: Option[String],
      spelling: String
  ): Expression = {
    val error = VariantGet(FailedCast(failing, spelling), Literal("$"), target, failOnError = true, zone)
    Coalesce(target match {
      case _: ArrayType | _: MapType | _: StructType => Seq(error, value)
      case _ => Seq(value, error)
    })
  }

  /** The column of the values, the column of the variants whose cast fails, and the type. */
  def unapply(e: Expression): Option[(Attribute, Attribute, DataType)] = e match {
    case Coalesce(Seq(value: Attribute, Error(failing, target))) => Some((value, failing, target))
    case Coalesce(Seq(Error(failing, target), value: Attribute)) => Some((value, failing, target))
    case _ => None
  }

  private object Error {
    def unapply(e: Expression): Option[(Attribute, DataType)] = e match {
      case VariantGet(FailedCast(failing: Attribute, _), Literal(path, _), target, true, _)
          if String.valueOf(path) == "$" => Some((failing, target))
      case _ => None
    }
  }
}

/**
 * The variant itself, of a strict cast with this spelling.
 *
 * Law: two strict casts are equal only if the accesses that they replace are. Spark evaluates equal expressions
 * of a row once, before all others, also for rows that need none of them. So without the spelling, two
 * spellings of one path would raise errors that Spark's plan does not raise. Besides, Spark may move a
 * `variant_get` of a column to a node that evaluates it for every row, but not one of another expression.
 */
final case class FailedCast(child: Expression, spelling: String) extends UnaryExpression {
  override def dataType: DataType = child.dataType
  override def eval(input: InternalRow): Any = child.eval(input)
  override def genCode(ctx: CodegenContext): ExprCode = child.genCode(ctx)
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = child.genCode(ctx)
  override protected def withNewChildInternal(newChild: Expression): FailedCast = copy(child = newChild)
  override def toString: String = child.toString
  override def sql: String = child.sql
}

object FailedCast {

  /** The same text for equal accesses to columns of any identity, so that Spark can compare plans. */
  def spelling(access: Expression): String =
    access.canonicalized.transform { case a: Attribute => a.withExprId(ExprId(0)) }.toString
}
