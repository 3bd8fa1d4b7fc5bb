/** Verifies one file: leaves against the footer, rows against the layout, both against the table's log. */
package shreddedvariant.source.verify

import java.io.FileNotFoundException

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Using
import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import shreddedvariant.{Errors, ShreddedVariantException}
import shreddedvariant.delta.LogVerifier
import shreddedvariant.infer.{Counts, CountsVerifier}
import shreddedvariant.parquet.file.{FooterSchema, OpenFile}
import shreddedvariant.parquet.verify.{LeafVerifier, MapVerifier, RowVerifier, VariantVisitor}
import shreddedvariant.parquet.write.FileCounts
import shreddedvariant.stats.{Finding, LeafStatistics}
import shreddedvariant.source.options.NamedColumns

final class FileVerifier(task: VerifyTask, job: VerifyJob) {
  private val conf = job.conf.value.value
  private val log = task.stats.map(new LogVerifier(job.table, job.partitions, _))

  def rows: Seq[InternalRow] = {
    val proof =
      try check()
      catch {
        case e: FileNotFoundException =>
          Proof(0, Map.empty, Seq(ofFile(s"the file does not exist (${Errors.reason(e)})")))
        case e: ShreddedVariantException => Proof(0, Map.empty, Seq(ofFile(e.getMessage)))
        case e @ (_: OutOfMemoryError | _: StackOverflowError | NonFatal(_)) =>
          Proof(0, Map.empty, Seq(ofFile(s"it cannot be read (${Errors.reason(e)})")))
      }
    val trustable = proof.findings.isEmpty && log.exists(!_.hidesNaN(proof.leaves))
    val findings = proof.findings.map(f => Some(f))
    (None +: findings).map(VerifiedRow(task, proof.rows, trustable, _))
  }

  private def ofFile(wrong: String) = Finding("", "", wrong)

  private def check(): Proof = {
    val status = task.file.toPath.getFileSystem(conf).getFileStatus(task.file.toPath)
    val size = Option.when(status.getLen != task.file.fileSize)(
      ofFile(s"it should have ${task.file.fileSize} bytes and has ${status.getLen}")
    )
    val (rows, recorded, leaves, maps) = Using.resource(OpenFile.checked(task.file.toPath, conf)) { open =>
      val footer = open.getFileMetaData
      val rows = open.getRowGroups.asScala.map(_.getRowCount).sum
      (
        rows,
        FileCounts.read(footer).counts,
        new LeafVerifier(open).check(),
        MapVerifier.check(footer, job.read)
      )
    }
    val counts = new Recount(recorded.keySet)
    val read =
      if (job.table.nonEmpty) job.read
      else {
        val converter = job.read.types.converter(job.read.caseSensitive)
        job.read.copy(columns = FooterSchema.read(task.file.toPath, conf, converter))
      }
    val columns =
      StructType(read.columns.filterNot(column => maps.unreadable.exists(read.sameName(_, column.name))))
    val readable = read.copy(columns = columns)
    val layout =
      new RowVerifier(task.file, readable, conf, counts +: log.map(new BoundsVisitor(_)).toSeq).check()
    // Rows that cannot be read are not counted.
    val areAllRead = layout.isEmpty && maps.unreadable.isEmpty
    val ofCounts = if (areAllRead) counts.findings(recorded) else Nil
    val ofLog = log.toSeq.flatMap { log =>
      log.ofColumns(rows, leaves.leaves) ++ (if (areAllRead) log.ofNulls else Nil)
    }
    Proof(rows, leaves.leaves, size.toSeq ++ leaves.findings ++ maps.findings ++ layout ++ ofCounts ++ ofLog)
  }

}

private final case class Proof(rows: Long, leaves: Map[Seq[String], LeafStatistics], findings: Seq[Finding])

private final class BoundsVisitor(log: LogVerifier) extends VariantVisitor {
  override def visitNull(column: Seq[String]): Unit = log.addNull(column)
  override def visit(column: Seq[String], metadata: Array[Byte], value: Array[Byte]): Seq[(String, String)] =
    log.ofValue(column, metadata, value)
}

/** Counts the values of the columns again for which the footer has counts. */
private final class Recount(columns: Set[Seq[String]]) extends VariantVisitor {
  private val recounted = mutable.Map(columns.toSeq.map(_ -> new Counts): _*)

  override def visitNull(column: Seq[String]): Unit = recounted.get(column).foreach(_.addNull())
  override def visit(
      column: Seq[String],
      metadata: Array[Byte],
      value: Array[Byte]
  ): Seq[(String, String)] = {
    recounted.get(column).foreach(_.add(metadata, value))
    Nil
  }

  def findings(recorded: Map[Seq[String], Counts]): Seq[Finding] = for {
    (column, counts) <- recorded.toSeq.sortBy(_._1.mkString("."))
    (path, wrong) <- CountsVerifier.wrong(counts, recounted(column))
  } yield Finding(NamedColumns.text(column), path, wrong)
}
