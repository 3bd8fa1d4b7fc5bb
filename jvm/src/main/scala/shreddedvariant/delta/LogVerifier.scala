/**
 * Compares the statistics of a file in the table's log with the values of the file.
 *
 * The bounds of a path are correct if each row either lacks the path, or has there a value of their type
 * between them. A value of another type, a JSON null and a NaN are errors. All exact numerics count as one
 * type, because a column may have narrower numbers than its bounds.
 */
package shreddedvariant.delta

import scala.collection.mutable

import org.apache.spark.sql.types._
import shreddedvariant.binary.{Dictionary, Encoding, ObjectHeader}
import shreddedvariant.layout.{ScalarType, Shape}
import shreddedvariant.stats._

final class LogVerifier(schema: StructType, partitionColumns: Seq[String], json: String) {
  private val recorded = new RecordedStatistics(json, isOurs = false)
  private val order = new DatumOrder(SkippingRules.all)
  private val columns = LogVerifier.leaves(schema.filterNot(f => partitionColumns.contains(f.name)), Nil)

  /** The findings for the file and its plain columns; `leaves` has the statistics of the file's values. */
  def ofColumns(rows: Long, leaves: Map[Seq[String], LeafStatistics]): Seq[Finding] = {
    val count = recorded.rows.filter(_ != rows).map(logged =>
      Finding("", "", s"the table's log counts $logged rows and there are $rows")
    )
    count.toSeq ++ columns.flatMap { case (names, dataType) =>
      RecordedStatistics.scalar(dataType).toSeq.flatMap { scalar =>
        val actual = leaves.getOrElse(names, LeafStatistics(rows, Some(rows), Bounds.none, hasNoNaN = true))
        ofColumn(names, recorded.plain(names, scalar), actual)
      }
    }
  }

  /** Whether a column has a NaN. Bounds of other writers may ignore it, but complete bounds must not. */
  def hidesNaN(leaves: Map[Seq[String], LeafStatistics]): Boolean = columns.exists { case (names, _) =>
    leaves.get(names).exists(!_.hasNoNaN)
  }

  private def ofColumn(names: Seq[String], logged: LeafStatistics, actual: LeafStatistics): Seq[Finding] = {
    val nulls = for (n <- logged.nulls; m <- actual.nulls if n != m)
      yield s"the table's log counts $n nulls and there are $m"
    val bounds = for {
      min <- actual.bounds.min.toSeq
      max <- actual.bounds.max.toSeq
      wrong <- outside(logged.bounds.min, logged.bounds.max, min) ++ outside(
        logged.bounds.min,
        logged.bounds.max,
        max
      )
    } yield wrong
    (nulls.toSeq ++ bounds.distinct).map(Finding(LogVerifier.name(names), "", _))
  }

  private def outside(lower: Option[Datum], upper: Option[Datum], value: Datum): Seq[String] = Seq(
    lower.filter(isGreater(_, value)).map(bound =>
      s"the table's log says that no value is less than ${LogVerifier.text(bound)}, and ${LogVerifier.text(value)} is"
    ),
    upper.filter(isGreater(value, _)).map(bound =>
      s"the table's log says that no value is greater than ${LogVerifier.text(bound)}, and ${LogVerifier.text(value)} is"
    )
  ).flatten

  /** False for values of different kinds, which have no common order: they are not compared with bounds. */
  private def isGreater(a: Datum, b: Datum) = a.getClass == b.getClass && order.compare(a, b) > 0

  // ---- variants ----

  private val bounds = columns.collect { case (names, VariantType) =>
    names -> recorded.paths(names).toSeq.sortBy(_._1).flatMap { case (path, ends) =>
      NormalizedPath.keys(path).map(keys => (path, keys.map(Shape.utf8), ends))
    }
  }.toMap
  private val nulls = mutable.Map.empty[Seq[String], Long].withDefaultValue(0L)

  def addNull(column: Seq[String]): Unit = nulls(column) += 1

  /** The errors of the bounds for this value, by path. */
  def ofValue(column: Seq[String], metadata: Array[Byte], value: Array[Byte]): Seq[(String, String)] = {
    val paths = bounds.getOrElse(column, Nil)
    if (paths.isEmpty) Nil
    else {
      val keys = new Dictionary(metadata)
      for {
        (path, names, (lower, upper)) <- paths
        at <- LogVerifier.find(keys, value, names).toSeq
        wrong <- ofPath(value, at, lower, upper)
      } yield (path, wrong)
    }
  }

  private def ofPath(
      bytes: Array[Byte],
      at: Int,
      lower: Option[VariantBound],
      upper: Option[VariantBound]
  ) = {
    val types = Seq(lower, upper).flatten.map(_.scalar)
    VariantBounds.read(bytes, at) match {
      case None => Seq("the table's log has bounds of it, and a value has no order")
      case Some((_, Datum.Floating(number))) if number.isNaN =>
        Seq("the table's log has bounds of it, and a value is NaN")
      case Some((scalar, _)) if !types.forall(LogVerifier.isSame(_, scalar)) =>
        Seq(s"the table's log has bounds of type ${types.head.ddl}, and a value has the type ${scalar.ddl}")
      case Some((_, value)) => outside(lower.map(_.value), upper.map(_.value), value)
    }
  }

  /** The findings for the null counts of variants, after all rows. */
  def ofNulls: Seq[Finding] = columns.collect { case (names, VariantType) => names }.flatMap { names =>
    recorded.presence(names).nulls.filter(_ != nulls(names)).map(logged =>
      Finding(
        LogVerifier.name(names),
        "",
        s"the table's log counts $logged nulls and there are ${nulls(names)}"
      )
    )
  }
}

private object LogVerifier {
  def name(names: Seq[String]): String = names.map(Shape.quoted).mkString(".")

  def leaves(fields: Seq[StructField], parent: Seq[String]): Seq[(Seq[String], DataType)] =
    fields.flatMap { field =>
      field.dataType match {
        case struct: StructType => leaves(struct.fields.toSeq, parent :+ field.name)
        case other => Seq((parent :+ field.name, other))
      }
    }

  /** The position of the value of a path; None if the path is missing. */
  def find(keys: Dictionary, bytes: Array[Byte], names: Seq[Array[Byte]]): Option[Int] =
    names.foldLeft(Option(0)) { (at, name) =>
      at.filter(Encoding.basicType(bytes, _) == Encoding.Object).flatMap { at =>
        val fields = new ObjectHeader(bytes, at)
        (0 until fields.size).find { i =>
          val id = fields.id(i)
          java.util.Arrays.equals(keys.bytes, keys.keyStart(id), keys.keyEnd(id), name, 0, name.length)
        }.map(fields.position)
      }
    }

  def isSame(a: ScalarType, b: ScalarType): Boolean = a == b || isExact(a) && isExact(b)

  private def isExact(scalar: ScalarType) = scalar match {
    case ScalarType.Int8 | ScalarType.Int16 | ScalarType.Int32 | ScalarType.Int64 | _: ScalarType.Dec => true
    case _ => false
  }

  def text(value: Datum): String = {
    val shown = value match {
      // Without an exponent, a number has as many digits as the exponent says.
      case Datum.Exact(number) if math.abs(number.scale.toLong) > 40 => number.toString
      case Datum.Exact(number) => number.toPlainString
      case Datum.Floating(number) => number.toString
      case Datum.Bytes(bytes) => Shortened.text(bytes).getOrElse(value.toString)
    }
    if (shown.length <= 40) s"'$shown'" else s"'${shown.take(39)}…'"
  }
}
