/**
 * Holds the statistics that a table's log has of a file to the file's own values.
 *
 * Bounds of a path are true if each row has a value of their type between them at the path, or lacks it: neither a value
 * of another type, nor a JSON null, nor a NaN. Numbers that are exact are one type: a column may hold narrower ones.
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

  /** Of the file as a whole and of its plain columns; `leaves` are facts as the values have them. */
  def ofColumns(rows: Long, leaves: Map[Seq[String], LeafStatistics]): Seq[Finding] = {
    val count = recorded.rows.filter(_ != rows).map(told =>
      Finding("", "", s"the table's log counts $told rows and there are $rows")
    )
    count.toSeq ++ columns.flatMap { case (names, dataType) =>
      RecordedStatistics.scalar(dataType).toSeq.flatMap { scalar =>
        val found = leaves.getOrElse(names, LeafStatistics(rows, Some(rows), Bounds.none, hasNoNaN = true))
        ofColumn(names, recorded.plain(names, scalar), found)
      }
    }
  }

  /** Whether a NaN is in a column whose bounds do not know of it: their own writer may leave it out, and we do not. */
  def hidesNaN(leaves: Map[Seq[String], LeafStatistics]): Boolean = columns.exists { case (names, _) =>
    leaves.get(names).exists(!_.hasNoNaN)
  }

  private def ofColumn(names: Seq[String], told: LeafStatistics, found: LeafStatistics): Seq[Finding] = {
    val nulls = for (n <- told.nulls; m <- found.nulls if n != m)
      yield s"the table's log counts $n nulls and there are $m"
    val bounds = for {
      least <- found.bounds.min.toSeq
      greatest <- found.bounds.max.toSeq
      wrong <- outside(told.bounds.min, told.bounds.max, least) ++ outside(
        told.bounds.min,
        told.bounds.max,
        greatest
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

  /** Values that the file has in a type of another order are left alone: no bound is asked of them. */
  private def isGreater(a: Datum, b: Datum) = a.getClass == b.getClass && order.compare(a, b) > 0

  // ---- variants ----

  private val bounds = columns.collect { case (names, VariantType) =>
    names -> recorded.paths(names).toSeq.sortBy(_._1).flatMap { case (path, ends) =>
      NormalizedPath.keys(path).map(keys => (path, keys.map(Shape.utf8), ends))
    }
  }.toMap
  private val nulls = mutable.Map.empty[Seq[String], Long].withDefaultValue(0L)

  def addNull(column: Seq[String]): Unit = nulls(column) += 1

  /** By path, what is wrong of the bounds for this value. */
  def ofValue(column: Seq[String], metadata: Array[Byte], value: Array[Byte]): Seq[(String, String)] = {
    val asked = bounds.getOrElse(column, Nil)
    if (asked.isEmpty) Nil
    else {
      val keys = new Dictionary(metadata)
      for {
        (path, names, (lower, upper)) <- asked
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
      case None => Seq("the table's log has bounds of it, and here it is no value that has an order")
      case Some((_, Datum.Floating(number))) if number.isNaN =>
        Seq("the table's log has bounds of it, and here it is NaN")
      case Some((scalar, _)) if !types.forall(LogVerifier.isSame(_, scalar)) =>
        Seq(s"the table's log has bounds of type ${types.head.ddl}, and here it is ${scalar.ddl}")
      case Some((_, value)) => outside(lower.map(_.value), upper.map(_.value), value)
    }
  }

  /** After all rows: how many of them have no variant. */
  def ofNulls: Seq[Finding] = columns.collect { case (names, VariantType) => names }.flatMap { names =>
    recorded.presence(names).nulls.filter(_ != nulls(names)).map(told =>
      Finding(
        LogVerifier.name(names),
        "",
        s"the table's log counts $told nulls and there are ${nulls(names)}"
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

  /** Where the value of a path begins; None where it is missing. */
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

  def isSame(told: ScalarType, found: ScalarType): Boolean = told == found || isExact(told) && isExact(found)

  private def isExact(scalar: ScalarType) = scalar match {
    case ScalarType.Int8 | ScalarType.Int16 | ScalarType.Int32 | ScalarType.Int64 | _: ScalarType.Dec => true
    case _ => false
  }

  def text(value: Datum): String = {
    val shown = value match {
      case Datum.Exact(number) => number.toPlainString
      case Datum.Floating(number) => number.toString
      case Datum.Bytes(bytes) => Shortened.text(bytes).getOrElse(value.toString)
    }
    if (shown.length <= 40) s"'$shown'" else s"'${shown.take(39)}…'"
  }
}
