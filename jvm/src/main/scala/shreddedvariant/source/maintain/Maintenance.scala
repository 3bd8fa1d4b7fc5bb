/**
 * The internal options by which compact, reshred, unshred and verify run reads and writes of this format.
 *
 * A session of Spark Connect can only send plans. So each step is a read or a write of this format:
 * {{{
 *   read   maintenance=plan      one row of JSON: the table, and the effect of a rewrite
 *   read   maintenance=rows      the rows of the files that a rewrite replaces; a task for each new file
 *   read   maintenance=verify    a row for each file, and a row for each finding
 *   write  maintenance=replace   all rows of a read with `rows`, which replace the files that they come from
 *   write  maintenance=trust     all rows of a read with `verify`; marks the bounds of sound files as trusted
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

  /** The names of maintenance commits in the history of a Delta table. */
  private val Operations = Seq("OPTIMIZE", "REORG")

  /** None if no option is one of maintenance. */
  def of(options: Map[String, String]): Option[Maintenance] = {
    val own = options.filter { case (key, _) => Options.isMaintenance(key) }
    own.keys.find(key => !All.exists(_.equalsIgnoreCase(key))).foreach(key =>
      throw Errors.maintenanceOption(key, "such an option does not exist")
    )
    def get(key: String) = Options.get(own, key)
    if (own.isEmpty) None
    else {
      val rewrite = Rewrite(get(TargetKey).map(bytes), get(SmallKey).exists(_.equalsIgnoreCase("true")))
      val parsed = get(Key).map(_.toLowerCase(Locale.ROOT)).collect {
        case "plan" => Plan(rewrite)
        case "rows" => Rows(rewrite)
        case "verify" => Verify
        case "replace" =>
          Replace(get(OperationKey).filter(Operations.contains).getOrElse(
            throw Errors.maintenanceOption(OperationKey, s"its value must be ${Operations.mkString(" or ")}")
          ))
        case "trust" => Trust
      }
      Some(parsed.getOrElse(throw Errors.maintenanceOption(Key, "it has an unknown value")))
    }
  }

  def without(options: Map[String, String]): Map[String, String] =
    options.filterNot { case (key, _) => Options.isMaintenance(key) }

  /** The options of a read that skips no file, because its rows may replace all files. */
  def complete(options: Map[String, String]): Map[String, String] =
    options.filterNot { case (key, _) => Lenient.exists(_.equalsIgnoreCase(key)) } ++ Lenient.map(
      _ -> "false"
    )
  private val Lenient = Seq(FileSourceOptions.IGNORE_CORRUPT_FILES, FileSourceOptions.IGNORE_MISSING_FILES)

  private def bytes(text: String): Long = text.toLongOption.filter(_ > 0).getOrElse(
    throw Errors.maintenanceOption(TargetKey, "its value must be a number of bytes from 1 on")
  )

  /** One partition for each file that the rewrite writes; None for other reads, and without a target size. */
  def bins(options: Map[String, String], files: FileIndex): Option[Seq[FilePartition]] = of(options) match {
    case Some(Rows(rewrite)) => rewrite.partitions(files)
    case None => None
    case Some(_) => throw Errors.maintenanceOption(Key, "its value is for writes only")
  }

  /** The table and the rewrite of a relation that is read with `maintenance=rows`. */
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
