/** The filters of a scan that readers may evaluate on rows before they read the other columns. */
package shreddedvariant.source.scan

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.StructType
import shreddedvariant.parquet.bind.RowFilter
import shreddedvariant.parquet.vector.VectorType

object RowFilters {

  /** The conjuncts over columns that are read with the same type, in Spark's order. */
  def of(filters: Seq[Expression], read: StructType): Option[RowFilter] = {
    def isRead(a: Attribute) = read.exists(f => f.name == a.name && f.dataType == a.dataType)
    val usable = filters.filter(f => isCheap(f) && f.references.nonEmpty && f.references.forall(isRead))
    usable.reduceOption(And(_, _)).map { condition =>
      val names = condition.references.map(_.name).toSet
      val columns = StructType(read.filter(f => names(f.name)))
      val bound = condition.transform { case a: Attribute =>
        BoundReference(columns.fieldIndex(a.name), a.dataType, nullable = true)
      }
      RowFilter(columns, bound)
    }
  }

  /** False for user-defined expressions, which may be slow and are evaluated only once. */
  private def isCheap(filter: Expression): Boolean = filter.deterministic && !filter.exists {
    // Vectors have the SQL type of a user-defined type.
    case a: Attribute => VectorType.hasUserTypes(a.dataType)
    case _: UserDefinedExpression | _: SubqueryExpression | _: Unevaluable => true
    case _ => false
  }
}
