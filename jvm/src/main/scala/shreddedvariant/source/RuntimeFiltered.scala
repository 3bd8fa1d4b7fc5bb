/** A scan that takes filters while the query runs: keys of the other side of a join, results of subqueries. */
package shreddedvariant.source

import java.util.Locale

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{Expression, InSet}
import org.apache.spark.sql.connector.expressions.{Expressions, NamedReference}
import org.apache.spark.sql.execution.InSubqueryExec
import org.apache.spark.sql.internal.connector.SupportsRuntimeCatalystFiltering
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

trait RuntimeFiltered extends SupportsRuntimeCatalystFiltering {
  private val filters = mutable.LinkedHashSet.empty[Expression]

  /** Scans of one plan may share this one, and each brings its filters: they are taken together. */
  override def filter(expressions: Array[Expression]): Unit = synchronized {
    filters ++= expressions.flatMap(evaluated)
    ()
  }

  protected def runtimeFilters: Seq[Expression] = synchronized(filters.toSeq)

  /**
   * Whatever statistics can judge: partitions, plain columns, paths of variants and what failed to become their values.
   * Spark refuses names that it finds twice, as it does with those of keys that differ in their case alone.
   */
  override def filterAttributes(): Array[NamedReference] = {
    val times = readSchema().fieldNames.groupBy(_.toLowerCase(Locale.ROOT)).map { case (n, s) =>
      n -> s.length
    }
    val found = readSchema().fields.filter(f => times(f.name.toLowerCase(Locale.ROOT)) == 1)
    found.filter(f => isComparable(f.dataType)).map(f => Expressions.column(quoted(f.name)))
  }

  private def evaluated(e: Expression): Option[Expression] = e match {
    case in: InSubqueryExec =>
      in.values().filter(_.length <= RuntimeFiltered.MostValues).map(values => InSet(in.child, values.toSet))
    case other if other.exists(_.isInstanceOf[InSubqueryExec]) => None
    case other => Some(other)
  }

  private def isComparable(dataType: DataType) = dataType match {
    case _: StructType | _: ArrayType | _: MapType => false
    case _ => true
  }

  private def quoted(name: String) = s"`${name.replace("`", "``")}`"
}

private object RuntimeFiltered {

  /** More keys than these are no narrow filter, and cost more than they spare. */
  val MostValues = 50000
}
