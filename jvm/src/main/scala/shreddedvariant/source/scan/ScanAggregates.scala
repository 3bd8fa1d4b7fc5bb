/** Translates the aggregates of a query into aggregates that a scan can compute. */
package shreddedvariant.source.scan

import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.connector.expressions.{Expression, NamedReference}
import org.apache.spark.sql.connector.expressions.aggregate.{
  AggregateFunc,
  Aggregation,
  Count,
  CountStar,
  Max,
  Min
}
import org.apache.spark.sql.types._
import shreddedvariant.layout.{PathColumn, PathResult}
import shreddedvariant.parquet.read.{Aggregate, AggregatedColumn}
import shreddedvariant.stats.{Datum, Origin}

/** The aggregates that a scan computes, and the partition columns of GROUP BY, in the order of the query. */
final case class PushedAggregates(groupBy: Seq[StructField], aggregates: Seq[Aggregate]) {

  /** The distinct columns that are aggregated. */
  def columns: Seq[AggregatedColumn] = aggregates.flatMap(_.of).distinct

  /** The aggregated columns that are paths. */
  def paths: Seq[PathColumn] = columns.map(_.column.origin).collect { case Origin.Path(path) => path }
}

/** `paths` are the hidden columns by their names, `data` the columns of the files. */
final class ScanAggregates(
    paths: Map[String, PathColumn],
    data: StructType,
    partitions: StructType,
    caseSensitive: Boolean
) {

  /** None if the scan cannot compute one of the aggregates or groups. */
  def read(aggregation: Aggregation): Option[PushedAggregates] = for {
    groupBy <- all(aggregation.groupByExpressions.toSeq)(name(_).flatMap(field(partitions, _)))
    aggregates <- all(aggregation.aggregateExpressions.toSeq)(aggregate)
  } yield PushedAggregates(groupBy, aggregates)

  private def aggregate(function: AggregateFunc): Option[Aggregate] = function match {
    case _: CountStar => Some(Aggregate.CountRows)
    case count: Count if !count.isDistinct => column(count.column).map(Aggregate.CountValues(_))
    case min: Min => compared(min.column).map(Aggregate.MinMax(_, isMax = false))
    case max: Max => compared(max.column).map(Aggregate.MinMax(_, isMax = true))
    case _ => None
  }

  /** The column of a min or max; not strings and binaries, because their bounds may be truncated. */
  private def compared(e: Expression): Option[AggregatedColumn] = column(e).filter(_.field.dataType match {
    case FloatType | DoubleType | _: DecimalType => true
    case other => Datum.isWhole(other)
  })

  private def column(e: Expression): Option[AggregatedColumn] =
    name(e).flatMap(name => paths.get(name).flatMap(ofPath).orElse(field(data, name).flatMap(ofData)))

  private def ofPath(path: PathColumn): Option[AggregatedColumn] = path.wanted match {
    case PathResult.Value(target, _) if isScalar(target) || target == VariantType => aggregated(path)
    case PathResult.Raising(target, _) if isScalar(target) => aggregated(path)
    case PathResult.Entry(_, value) if isScalar(value) => aggregated(path)
    case PathResult.Presence => aggregated(path)
    case _ => None
  }

  /** Variants can only be counted, and a count needs only their presence. */
  private def ofData(field: StructField): Option[AggregatedColumn] = field.dataType match {
    case VariantType => aggregated(PathColumn(Seq(field.name), Nil, PathResult.Presence))
    case scalar if isScalar(scalar) => aggregated(field)
    case _ => None
  }

  private def aggregated(path: PathColumn): Option[AggregatedColumn] =
    aggregated(StructField(path.name, path.wanted.dataType), Map(path.name -> path))

  private def aggregated(
      field: StructField,
      paths: Map[String, PathColumn] = Map.empty
  ): Option[AggregatedColumn] = {
    val column = new ScanColumns(paths, data, caseSensitive).find(AttributeReference(
      field.name,
      field.dataType
    )())
    column.toOption.map(AggregatedColumn(field, _))
  }

  private def isScalar(dataType: DataType) = dataType match {
    case _: StructType | _: ArrayType | _: MapType | _: UserDefinedType[_] | VariantType => false
    case _ => true
  }

  private def field(schema: StructType, name: String) = schema.fields.find(_.name == name)

  private def name(e: Expression): Option[String] = e match {
    case reference: NamedReference if reference.fieldNames.length == 1 => Some(reference.fieldNames.head)
    case _ => None
  }

  private def all[A, B](items: Seq[A])(read: A => Option[B]): Option[Seq[B]] = {
    val results = items.map(read)
    if (results.forall(_.isDefined)) Some(results.flatten) else None
  }
}
