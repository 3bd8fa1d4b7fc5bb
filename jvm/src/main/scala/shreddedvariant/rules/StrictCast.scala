/**
 * A strict cast that is evaluated lazily: `coalesce(value, variant_get(variant_get(failing, '$'), '$', T))`.
 *
 * `value` is NULL where the cast fails, and `failing` is the variant only there, so the error is Spark's own and comes
 * where Spark would have raised it. Two accesses stand one inside the other because Spark moves a `variant_get` of a
 * column to where it meets every row, but not one of an expression.
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

  /** The columns of the values and of the variants that failed, and the type. */
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
