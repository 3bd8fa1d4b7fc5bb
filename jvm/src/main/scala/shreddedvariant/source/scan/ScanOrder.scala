/** Translates the ORDER BY and LIMIT of a query into a top N over one column with statistics. */
package shreddedvariant.source.scan

import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.connector.expressions.{NamedReference, NullOrdering, SortDirection, SortOrder}
import org.apache.spark.sql.types._
import shreddedvariant.layout.{PathColumn, PathResult}
import shreddedvariant.stats.{Column, Datum, Origin, Top}

/** `paths` are the hidden columns by their names, `data` the columns of the files. Collations: see `SkippingRule.Collations`. */
final class ScanOrder(paths: Map[String, PathColumn], data: StructType, caseSensitive: Boolean) {

  /** The top N by the first key, because other keys order only rows with equal first keys; or None. */
  def read(orders: Seq[SortOrder], limit: Int): Option[Top] =
    for {
      first <- orders.headOption
      column <- column(first)
      if isOrdered(column.dataType) && !othersMayRaise(column)
    } yield Top(
      column,
      isAscending = first.direction == SortDirection.ASCENDING,
      nullsFirst = first.nullOrdering == NullOrdering.NULLS_FIRST,
      limit.toLong
    )

  private def column(order: SortOrder): Option[Column] = order.expression match {
    case reference: NamedReference =>
      val names = reference.fieldNames.toSeq
      for {
        dataType <- names match {
          case Seq(name) if paths.contains(name) => Some(paths(name).wanted.dataType)
          case Seq(name) => data.fields.find(_.name == name).map(_.dataType)
          case _ => None
        }
        attribute = AttributeReference(names.head, dataType)()
        found <- new ScanColumns(paths, data, caseSensitive).find(attribute).toOption
      } yield found
    case _ => None
  }

  /** Whether another column may raise an error. Then no row is skipped: Spark casts all rows before a sort. */
  private def othersMayRaise(column: Column) = paths.values.exists { path =>
    path.wanted match {
      case _: PathResult.Raising => column.origin != Origin.Path(path)
      case _: PathResult.Failure => true
      case _ => false
    }
  }

  private def isOrdered(dataType: DataType) = dataType match {
    case text: StringType => text == StringType
    case FloatType | DoubleType | _: DecimalType | BinaryType => true
    case other => Datum.isWhole(other)
  }
}
