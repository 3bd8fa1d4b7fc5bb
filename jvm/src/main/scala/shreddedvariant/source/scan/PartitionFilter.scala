/** A part of a filter that reads only partition columns: its result is the same for all rows of a file. */
package shreddedvariant.source.scan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{BooleanType, StructType}
import shreddedvariant.stats.PartitionTest

final case class PartitionFilter(condition: Expression) extends PartitionTest {
  override def apply(values: InternalRow): Option[Boolean] =
    Option(condition.eval(values)).map(_.asInstanceOf[Boolean])
}

object PartitionFilter {
  final class Reader(partitions: StructType) {
    def unapply(filter: Expression): Option[PartitionTest] = {
      val names = filter.references.map(_.name)
      val isRead = names.nonEmpty && names.forall(partitions.fieldNames.contains)
      Option.when(isRead && filter.dataType == BooleanType && isPlain(filter)) {
        PartitionFilter(filter.transform { case a: Attribute =>
          val i = partitions.fieldIndex(a.name)
          BoundReference(i, partitions(i).dataType, nullable = true)
        })
      }
    }

    private def isPlain(filter: Expression) = filter.deterministic && !filter.exists {
      case _: Attribute => false
      case _: UserDefinedExpression | _: SubqueryExpression | _: Unevaluable => true
      case _ => false
    }
  }
}
