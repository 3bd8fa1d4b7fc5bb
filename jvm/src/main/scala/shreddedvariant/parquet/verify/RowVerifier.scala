/**
 * Reads every variant and every map of a file whole, and names the rows in which that cannot be done: where stored and
 * typed values contradict each other, a shredded key stands in a residual object, bytes are malformed, a key of a map is
 * there twice.
 */
package shreddedvariant.parquet.verify

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.VariantVal
import shreddedvariant.{Errors, ShreddedVariantException}
import shreddedvariant.binary.{MalformedVariant, WellFormed}
import shreddedvariant.layout.Shape
import shreddedvariant.parquet.bind.ReadJob
import shreddedvariant.parquet.read.BatchReader
import shreddedvariant.stats.Finding

/** Who else looks at variants outside of arrays and maps: NULLs too, and at none that cannot be read. */
trait VariantVisitor {
  def visitNull(column: Seq[String]): Unit

  /** By path, what is wrong with this one. */
  def visit(column: Seq[String], metadata: Array[Byte], value: Array[Byte]): Seq[(String, String)]
}

final class RowVerifier(
    file: PartitionedFile,
    job: ReadJob,
    conf: Configuration,
    visitors: Seq[VariantVisitor]
) {
  private val found = mutable.LinkedHashMap.empty[Finding, (Long, Long)]
  private var row = 0L

  def check(): Seq[Finding] = {
    val columns = StructType(job.columns.filter(field => RowVerifier.isOfInterest(field.dataType)))
    if (columns.isEmpty) Nil
    else
      try {
        read(columns)
        rows
      } catch {
        case e: ShreddedVariantException => rows :+ RowVerifier.finding("", e)
        case NonFatal(e) => rows :+ Finding("", "", s"its rows cannot be read (${Errors.reason(e)})")
      }
  }

  private def read(columns: StructType): Unit = {
    val reader = new BatchReader(file, job.copy(columns = columns, isStrict = true), conf)
    try
      while (reader.next())
        reader.get().rowIterator().asScala.foreach { values =>
          columns.indices.foreach(i =>
            attempt(values, i, columns(i).dataType, Some(Seq(columns(i).name)), columns(i).name)
          )
          row += 1
        }
    finally reader.close()
  }

  /** `column` is a variant that shapes can be of, if it is one; `name` is what findings call it. */
  private def attempt(
      of: SpecializedGetters,
      i: Int,
      dataType: DataType,
      column: Option[Seq[String]],
      name: String
  ): Unit =
    try look(of, i, dataType, column, name)
    catch {
      case e: ShreddedVariantException => note(RowVerifier.finding(name, e))
      case e: MalformedVariant => note(Finding(name, "$", s"it is malformed (${e.reason})"))
    }

  private def look(
      of: SpecializedGetters,
      i: Int,
      dataType: DataType,
      column: Option[Seq[String]],
      name: String
  ): Unit = dataType match {
    case VariantType =>
      if (of.isNullAt(i)) for (path <- column; visitor <- visitors) visitor.visitNull(path)
      else variant(of.getVariant(i), column, name)
    case struct: StructType if RowVerifier.isOfInterest(struct) =>
      val inner = if (of.isNullAt(i)) RowVerifier.nulls(struct) else of.getStruct(i, struct.size)
      for ((field, j) <- struct.zipWithIndex if RowVerifier.isOfInterest(field.dataType))
        attempt(inner, j, field.dataType, column.map(_ :+ field.name), s"$name.${Shape.quoted(field.name)}")
    case ArrayType(element, _) if RowVerifier.isOfInterest(element) && !of.isNullAt(i) =>
      val array = of.getArray(i)
      for (j <- 0 until array.numElements()) attempt(array, j, element, None, s"$name.element")
    case map: MapType if !of.isNullAt(i) =>
      val entries = of.getMap(i)
      val keys = entries.keyArray()
      if (map.keyType.isInstanceOf[StringType]) {
        val all = (0 until keys.numElements()).map(keys.getUTF8String(_).copy())
        all.diff(all.distinct).headOption.foreach(key =>
          note(Finding(name, "", s"its key '${key.toString.take(40)}' is there twice"))
        )
      }
      if (RowVerifier.isOfInterest(map.valueType))
        for (j <- 0 until keys.numElements())
          attempt(entries.valueArray(), j, map.valueType, None, s"$name.value")
    case _ =>
  }

  private def variant(value: VariantVal, column: Option[Seq[String]], name: String): Unit = {
    WellFormed.check(value.getMetadata, value.getValue)
    for {
      path <- column
      visitor <- visitors
      (at, wrong) <- visitor.visit(path, value.getMetadata, value.getValue)
    } note(Finding(name, at, wrong))
  }

  /** Equal findings of many rows are one, with the first of them. */
  private def note(finding: Finding): Unit =
    if (found.size < RowVerifier.MostFindings || found.contains(finding)) {
      val (first, times) = found.getOrElse(finding, (row, 0L))
      found(finding) = (first, times + 1)
    }

  private def rows: Seq[Finding] = found.toSeq.map { case (finding, (first, times)) =>
    val more = if (times > 1) s" (and in ${times - 1} more)" else ""
    finding.copy(wrong = s"in row $first$more, ${finding.wrong}")
  }
}

private[parquet] object RowVerifier {

  /** Different ones in one file; more would tell nothing new. */
  val MostFindings = 100

  def isOfInterest(dataType: DataType): Boolean = dataType match {
    case VariantType => true
    case struct: StructType => struct.exists(field => isOfInterest(field.dataType))
    case ArrayType(element, _) => isOfInterest(element)
    case _: MapType => true
    case _ => false
  }

  def nulls(struct: StructType): InternalRow = InternalRow.fromSeq(struct.map(_ => null))

  /** The refusal of what is done for a column, if it is one. */
  def refusal(column: String)(body: => Any): Option[Finding] =
    try { body; None }
    catch { case e: ShreddedVariantException => Some(finding(column, e)) }

  /** A refusal of the reader's, without the place that the finding has anyway. */
  def finding(column: String, e: ShreddedVariantException): Finding = {
    val plain = Iterator.iterate[Throwable](e)(_.getCause).takeWhile(
      _.isInstanceOf[ShreddedVariantException]
    ).toSeq.last
    val sentence = plain.getMessage.replaceFirst("^\\[[A-Z_]+\\] ", "").stripSuffix(".")
    val place = "(?:^At|variant at|The variant) '([^']*)'".r.findFirstMatchIn(sentence).map(_.group(1))
    Finding(column, place.filter(_ != column).getOrElse(""), sentence)
  }
}
