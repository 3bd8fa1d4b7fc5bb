/**
 * A strict cast that is evaluated lazily: `coalesce(value, variant_get(variant_get(failing, '$'), '$', T))`.
 *
 * `value` is NULL where the cast fails, and `failing` is NULL where it does not, so Spark itself raises the
 * error, for the same rows. The two accesses are nested because Spark may move a `variant_get` of a column to a
 * node that evaluates it for every row, but does not move a `variant_get` of an expression.
 */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.expressions.{Attribute, Coalesce, Expression, Literal}
import org.apache.spark.sql.catalyst.expressions.variant.VariantGet
import org.apache.spark.sql.types.{DataType, VariantType}

object StrictCast {
  def apply(value: Expression, failing: Expression, target: DataType, zone: Option[String]): Expression = {
    def get(child: Expression, target: DataType) =
      VariantGet(child, Literal("$"), target, failOnError = true, zone)
    Coalesce(Seq(value, get(get(failing, VariantType), target)))
  }

  /** The column of the values, the column of the variants whose cast fails, and the type. */
  def unapply(e: Expression): Option[(Attribute, Attribute, DataType)] = e match {
    case Coalesce(Seq(value: Attribute, Root(Root(failing: Attribute, VariantType), target))) =>
      Some((value, failing, target))
    case _ => None
  }

  private object Root {
    def unapply(e: Expression): Option[(Expression, DataType)] = e match {
      case VariantGet(child, Literal(path, _), target, true, _) if String.valueOf(path) == "$" =>
        Some((child, target))
      case _ => None
    }
  }
}
