/**
 * How compact, reshred, unshred and verify speak with Spark: by options of reads and writes that people never give.
 *
 * A session of Spark Connect can send plans and nothing else. So each step is a read or a write of this format:
 * {{{
 *   read   maintenance=plan      one row of JSON: what the table is, and what a rewrite would do
 *   read   maintenance=rows      the rows of the files that are to be rewritten, file by file or in bins
 *   read   maintenance=verify    a row for each file, and one for each finding
 *   write  maintenance=replace   its rows, all of such a read, stand for the files that they were read from
 *   write  maintenance=trust     the bounds of the files that such a read has found to be true are trusted from now on
 * }}}
 */
package shreddedvariant.source.maintain

import java.util.Locale

import org.apache.spark.sql.catalyst.FileSourceOptions
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.{FileIndex, FilePartition}
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, DataSourceV2ScanRelation}
import shreddedvariant.{Errors, Options}
import shreddedvariant.source.table.SourceTable

sealed trait Maintenance

object Maintenance {
  final case class Plan(rewrite: Rewrite) extends Maintenance
  final case class Rows(rewrite: Rewrite) extends Maintenance
  case object Verify extends Maintenance
  final case class Replace(operation: String) extends Maintenance
  case object Trust extends Maintenance

  val Key: String = Options.Maintenance
  private val TargetKey = s"$Key.targetBytes"
  private val SmallKey = s"$Key.onlySmall"
  private val OperationKey = s"$Key.operation"
  private val All = Seq(Key, TargetKey, SmallKey, OperationKey)

  /** What a commit of maintenance is called in the history of a Delta table. */
  private val Operations = Seq("OPTIMIZE", "REORG")

  /** None where the options speak of no maintenance. */
  def of(options: Map[String, String]): Option[Maintenance] = {
    val own = options.filter { case (key, _) => Options.isMaintenance(key) }
    own.keys.find(key => !All.exists(_.equalsIgnoreCase(key))).foreach(key =>
      throw Errors.maintenanceOption(key, "it is none of them")
    )
    def get(key: String) = Options.get(own, key)
    if (own.isEmpty) None
    else {
      val rewrite = Rewrite(get(TargetKey).map(bytes), get(SmallKey).exists(_.equalsIgnoreCase("true")))
      val found = get(Key).map(_.toLowerCase(Locale.ROOT)).collect {
        case "plan" => Plan(rewrite)
        case "rows" => Rows(rewrite)
        case "verify" => Verify
        case "replace" =>
          Replace(get(OperationKey).filter(Operations.contains).getOrElse(
            throw Errors.maintenanceOption(OperationKey, s"it is ${Operations.mkString(" or ")}")
          ))
        case "trust" => Trust
      }
      Some(found.getOrElse(throw Errors.maintenanceOption(Key, "it has none of their values")))
    }
  }

  def without(options: Map[String, String]): Map[String, String] =
    options.filterNot { case (key, _) => Options.isMaintenance(key) }

  /** The options of a read that leaves out no file: its rows may be all that is kept. */
  def complete(options: Map[String, String]): Map[String, String] =
    options.filterNot { case (key, _) => Lenient.exists(_.equalsIgnoreCase(key)) } ++ Lenient.map(
      _ -> "false"
    )
  private val Lenient = Seq(FileSourceOptions.IGNORE_CORRUPT_FILES, FileSourceOptions.IGNORE_MISSING_FILES)

  private def bytes(text: String): Long = text.toLongOption.filter(_ > 0).getOrElse(
    throw Errors.maintenanceOption(TargetKey, "it is a number of bytes from 1 on")
  )

  /** One task for each file that is to be written; None for reads that are no maintenance. */
  def bins(options: Map[String, String], files: FileIndex): Option[Seq[FilePartition]] = of(options) match {
    case Some(Rows(rewrite)) => rewrite.partitions(files)
    case None => None
    case Some(_) => throw Errors.maintenanceOption(Key, "what is written so cannot be read so")
  }

  /** What a relation of a plan is read for. */
  def table(plan: LogicalPlan): Option[(SourceTable, Rewrite)] = {
    val table = plan match {
      case r: DataSourceV2Relation => Some(r.table)
      case s: DataSourceV2ScanRelation => Some(s.relation.table)
      case _ => None
    }
    table.collect { case ours: SourceTable => (ours, of(ours.files.options)) }.collect {
      case (ours, Some(Rows(rewrite))) => (ours, rewrite)
    }
  }
}
