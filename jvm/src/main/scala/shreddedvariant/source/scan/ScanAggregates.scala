/** Reads the aggregates of a query as those that a scan can compute; None where it cannot. */
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
import shreddedvariant.layout.{PathColumn, Wanted}
import shreddedvariant.parquet.read.{Aggregate, AggregatedColumn}
import shreddedvariant.stats.{Datum, Origin}

/** What a scan is asked to compute: the partition columns of its groups, and the aggregates, both in order. */
final case class PushedAggregates(groupBy: Seq[StructField], aggregates: Seq[Aggregate]) {

  /** The columns that are aggregated, each once. */
  def columns: Seq[AggregatedColumn] = aggregates.flatMap(_.of).distinct

  /** Those among them that are paths. */
  def paths: Seq[PathColumn] = columns.map(_.column.origin).collect { case Origin.Path(path) => path }
}

/** `paths` are the hidden columns by their names, `data` the columns of the files. */
final class ScanAggregates(
    paths: Map[String, PathColumn],
    data: StructType,
    partitions: StructType,
    caseSensitive: Boolean
) {
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

  /** Bounds of strings and binaries may be cut off, so these are computed as usual. */
  private def compared(e: Expression): Option[AggregatedColumn] = column(e).filter(_.field.dataType match {
    case FloatType | DoubleType | _: DecimalType => true
    case other => Datum.isWhole(other)
  })

  private def column(e: Expression): Option[AggregatedColumn] =
    name(e).flatMap(name => paths.get(name).flatMap(ofPath).orElse(field(data, name).flatMap(ofData)))

  private def ofPath(path: PathColumn): Option[AggregatedColumn] = path.wanted match {
    case Wanted.Value(target, _) if isScalar(target) || target == VariantType => aggregated(path)
    case Wanted.Raising(target, _) if isScalar(target) => aggregated(path)
    case Wanted.Entry(_, value) if isScalar(value) => aggregated(path)
    case Wanted.Presence => aggregated(path)
    case _ => None
  }

  /** Variants are only counted, and for that it need not be known what they hold. */
  private def ofData(field: StructField): Option[AggregatedColumn] = field.dataType match {
    case VariantType => aggregated(PathColumn(Seq(field.name), Nil, Wanted.Presence))
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

  private def field(of: StructType, name: String) = of.fields.find(_.name == name)

  private def name(e: Expression): Option[String] = e match {
    case reference: NamedReference if reference.fieldNames.length == 1 => Some(reference.fieldNames.head)
    case _ => None
  }

  private def all[A, B](of: Seq[A])(read: A => Option[B]): Option[Seq[B]] = {
    val found = of.map(read)
    if (found.forall(_.isDefined)) Some(found.flatten) else None
  }
}
