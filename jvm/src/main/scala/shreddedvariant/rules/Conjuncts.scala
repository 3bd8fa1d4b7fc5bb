/** The conjuncts of a condition: the operands of its ANDs. */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.expressions.{And, Expression}

object Conjuncts {
  def apply(e: Expression): Seq[Expression] = e match {
    case And(left, right) => apply(left) ++ apply(right)
    case other => Seq(other)
  }
}
