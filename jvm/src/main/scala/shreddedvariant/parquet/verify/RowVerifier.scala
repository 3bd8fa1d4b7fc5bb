/**
 * Reads every variant and every map of a file whole, and reports the rows with an error: contradicting stored
 * and typed values, a shredded key in a residual object, malformed bytes, or a duplicate key in a map.
 */
package shreddedvariant.parquet.verify

import scala.annotation.tailrec
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

/** Visits all variants outside of arrays and maps, including NULLs, except those that cannot be read. */
trait VariantVisitor {
  def visitNull(column: Seq[String]): Unit

  /** The errors of this variant, each with its path. */
  def visit(column: Seq[String], metadata: Array[Byte], value: Array[Byte]): Seq[(String, String)]
}

final class RowVerifier(
    file: PartitionedFile,
    job: ReadJob,
    conf: Configuration,
    visitors: Seq[VariantVisitor]
) {
  private val findings = mutable.LinkedHashMap.empty[Finding, (Long, Long)]
  private var row = 0L

  def check(): Seq[Finding] = {
    val columns = StructType(job.columns.filter(field => RowVerifier.hasVariantOrMap(field.dataType)))
    if (columns.isEmpty) Nil
    else
      try {
        read(columns)
        rowFindings
      } catch {
        case e: ShreddedVariantException => rowFindings :+ RowVerifier.finding("", e)
        case NonFatal(e) => rowFindings :+ Finding("", "", s"its rows cannot be read (${Errors.reason(e)})")
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

  /**
   * `column` is the column of a variant outside of arrays and maps; None inside of them. `name` is its name in
   * findings.
   */
  private def attempt(
      values: SpecializedGetters,
      i: Int,
      dataType: DataType,
      column: Option[Seq[String]],
      name: String
  ): Unit =
    try verify(values, i, dataType, column, name)
    catch {
      case e: ShreddedVariantException => note(RowVerifier.finding(name, e))
      case e: MalformedVariant => note(Finding(name, "$", s"it is malformed (${e.reason})"))
    }

  private def verify(
      values: SpecializedGetters,
      i: Int,
      dataType: DataType,
      column: Option[Seq[String]],
      name: String
  ): Unit = dataType match {
    case VariantType =>
      if (values.isNullAt(i)) for (path <- column; visitor <- visitors) visitor.visitNull(path)
      else variant(values.getVariant(i), column, name)
    case struct: StructType if RowVerifier.hasVariantOrMap(struct) =>
      val inner = if (values.isNullAt(i)) RowVerifier.nulls(struct) else values.getStruct(i, struct.size)
      for ((field, j) <- struct.zipWithIndex if RowVerifier.hasVariantOrMap(field.dataType))
        attempt(inner, j, field.dataType, column.map(_ :+ field.name), s"$name.${Shape.quoted(field.name)}")
    case ArrayType(element, _) if RowVerifier.hasVariantOrMap(element) && !values.isNullAt(i) =>
      val array = values.getArray(i)
      for (j <- 0 until array.numElements()) attempt(array, j, element, None, s"$name.element")
    case map: MapType if !values.isNullAt(i) =>
      val entries = values.getMap(i)
      val keys = entries.keyArray()
      if (map.keyType.isInstanceOf[StringType]) {
        val texts = (0 until keys.numElements()).map(keys.getUTF8String(_).copy())
        texts.diff(texts.distinct).headOption.foreach(key =>
          note(Finding(name, "", s"its key '${key.toString.take(40)}' is there twice"))
        )
      }
      if (RowVerifier.hasVariantOrMap(map.valueType))
        for (j <- 0 until keys.numElements())
          attempt(entries.valueArray(), j, map.valueType, None, s"$name.value")
    case _ =>
  }

  private def variant(value: VariantVal, column: Option[Seq[String]], name: String): Unit = {
    WellFormed.check(value.getMetadata, value.getValue)
    for {
      path <- column
      visitor <- visitors
      (subpath, wrong) <- visitor.visit(path, value.getMetadata, value.getValue)
    } note(Finding(name, subpath, wrong))
  }

  /** Merges equal findings of several rows into one, with the first row and a count. */
  private def note(finding: Finding): Unit =
    if (findings.size < RowVerifier.MaxFindings || findings.contains(finding)) {
      val (first, times) = findings.getOrElse(finding, (row, 0L))
      findings(finding) = (first, times + 1)
    }

  private def rowFindings: Seq[Finding] = findings.toSeq.map { case (finding, (first, times)) =>
    val more = if (times > 1) s" (and in ${times - 1} more)" else ""
    finding.copy(wrong = s"in row $first$more, ${finding.wrong}")
  }
}

private[parquet] object RowVerifier {

  /** The maximal number of different findings in one file. */
  val MaxFindings = 100

  def hasVariantOrMap(dataType: DataType): Boolean = dataType match {
    case VariantType => true
    case struct: StructType => struct.exists(field => hasVariantOrMap(field.dataType))
    case ArrayType(element, _) => hasVariantOrMap(element)
    case _: MapType => true
    case _ => false
  }

  def nulls(struct: StructType): InternalRow = InternalRow.fromSeq(struct.map(_ => null))

  /** The finding for the error that `body` raises, if any. */
  def refusal(column: String)(body: => Any): Option[Finding] =
    try { body; None }
    catch { case e: ShreddedVariantException => Some(finding(column, e)) }

  /** The finding for an error of the reader, without the file and row, which the finding has anyway. */
  def finding(column: String, e: ShreddedVariantException): Finding = {
    @tailrec def innermost(e: ShreddedVariantException): ShreddedVariantException = e.getCause match {
      case cause: ShreddedVariantException => innermost(cause)
      case _ => e
    }
    val sentence = innermost(e).sentence.stripSuffix(".")
    val path = "(?:^At|variant at|The variant) '([^']*)'".r.findFirstMatchIn(sentence).map(_.group(1))
    Finding(column, path.filter(_ != column).getOrElse(""), sentence)
  }
}
