/** Evaluates a condition on the partition columns of a Delta table over the partition values in its log. */
package shreddedvariant.source.table

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** Converts partition values to rows of `columns`. */
final class PartitionValues(columns: StructType, zone: String) extends Serializable {

  /** The log has the values as text; an empty text is NULL. */
  def row(texts: Map[String, String]): InternalRow = InternalRow.fromSeq(columns.map { column =>
    texts.get(column.name).filter(text => text != null && text.nonEmpty).map { text =>
      val literal = Literal(UTF8String.fromString(text), StringType)
      Cast(literal, column.dataType, Some(zone), EvalMode.LEGACY).eval()
    }.orNull
  })
}

/** `condition` is resolved and references only attributes with the names of `columns`. */
final class PartitionCondition(val text: String, condition: Expression, columns: StructType, zone: String) {
  private val values = new PartitionValues(columns, zone)
  private val predicate = PartitionCondition.bound(condition, columns)

  def holds(texts: Map[String, String]): Boolean = predicate.eval(values.row(texts))
}

object PartitionCondition {
  def bound(condition: Expression, columns: StructType): BasePredicate =
    Predicate.createInterpreted(condition.transform { case a: AttributeReference =>
      val i = columns.fieldIndex(a.name)
      BoundReference(i, columns(i).dataType, nullable = true)
    })
}
