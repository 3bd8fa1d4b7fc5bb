/** Writes rows to a Delta table: files first, then one commit that names them. */
package shreddedvariant.source.delta

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{Row, SaveMode}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.command.DataWritingCommand
import org.apache.spark.sql.execution.datasources.FileFormatWriter
import org.apache.spark.sql.types.{StructType, TimestampType}
import shreddedvariant.{Errors, SharedFile, ShreddedVariantException}
import shreddedvariant.delta.{DeltaLog, DeltaSnapshot, DeltaTarget, DeltaTransaction, NewFile, StreamBatch}
import shreddedvariant.parquet.write.WriteJob
import shreddedvariant.source.table.{PartitionCondition, PartitionValues}
import shreddedvariant.source.options.WriteMarks
import shreddedvariant.source.pin.{Pin, Pinning, Pins}

/** The existing files that a write replaces. */
sealed trait Replaced

object Replaced {
  case object Nothing extends Replaced
  case object Everything extends Replaced

  /** All files of the partitions that get new files. */
  case object SamePartitions extends Replaced

  /** All files of the partitions that fulfil a condition; all written rows must be in these partitions. */
  final case class Where(condition: PartitionCondition) extends Replaced

  /** The files that the written rows were read from. */
  final case class Files(rewrite: DeltaRewrite) extends Replaced
}

/**
 * `readsTable` says whether the rows may come from the table itself. `seen` is the version of the table whose
 * files an overwrite replaces.
 */
final case class DeltaWriteCommand(
    query: LogicalPlan,
    target: DeltaTarget,
    write: WriteJob,
    replaced: Replaced,
    mode: SaveMode,
    options: Map[String, String],
    readsTable: Boolean,
    seen: Option[DeltaSnapshot],
    batch: Option[StreamBatch] = None
) extends DataWritingCommand {
  override def outputColumnNames: Seq[String] = query.output.map(_.name)
  override protected def withNewChildInternal(child: LogicalPlan): DeltaWriteCommand = copy(query = child)

  override def run(spark: SparkSession, child: SparkPlan): Seq[Row] = {
    val hadoop = spark.sessionState.newHadoopConfWithOptions(options)
    SharedFile.check(new Path(target.root), hadoop, options)
    def write(): Unit = pinned(hadoop).runAsIs(spark, child, hadoop)
    if (target.snapshot.isDefined) write() else creating(new Path(target.root), hadoop)(write())
    Seq.empty
  }

  private def creating(table: Path, hadoop: Configuration)(write: => Unit): Unit = {
    DeltaLog.begin(table, hadoop)
    try write
    catch {
      case NonFatal(e) =>
        DeltaLog.giveUp(table, hadoop)
        throw e
    }
  }

  /** The write with the pins of its table. A write that replaces the whole table removes the pins. */
  private def pinned(hadoop: Configuration): DeltaWriteCommand = target.snapshot match {
    case Some(_) if replaced == Replaced.Everything => copy(target = target.pinned(Map.empty))
    case Some(snapshot) =>
      val place = new DeltaPins(snapshot, hadoop)
      val shaped = new Pinning(place, hadoop, options - WriteMarks.Replaces)(write)
      val current = if (place.snapshot eq snapshot) target else target.on(place.snapshot)
      copy(write = shaped, target = reshaped(current, place))
    case None => this
  }

  /** A rewrite to a named shape pins that shape, in the commit that replaces the files. */
  private def reshaped(current: DeltaTarget, place: DeltaPins): DeltaTarget = replaced match {
    case Replaced.Files(_) if write.named.nonEmpty =>
      val named = write.named.iterator.flatMap(c => write.shapes.get(c).map(c -> Pin(_, None)))
      current.pinned(DeltaPins.properties(Pins(named.toMap).orElse(place.read())))
    case _ => current
  }

  private def runAsIs(spark: SparkSession, child: SparkPlan, hadoop: Configuration): Unit = {
    val columns = outputColumns
    val partitions = target.partitionColumns.map(name => columns.find(_.name == name).get)
    val times = partitions.filter(_.dataType == TimestampType).map(_.name).toSet
    val files = new DeltaFileCommit(target.root, times)
    FileFormatWriter.write(
      spark,
      child,
      new DeltaFormat(write, target.statistics),
      files,
      FileFormatWriter.OutputSpec(target.root, Map.empty, columns),
      hadoop,
      partitions,
      None,
      Seq(basicWriteJobStatsTracker(hadoop)),
      // In UTC no time of a partition is ambiguous.
      options ++ Option.when(times.nonEmpty)(DateTimeUtils.TIMEZONE_OPTION -> "UTC")
    )
    try commit(files.files, new DeltaTransaction(target, hadoop, batch))
    catch {
      // The commit may have succeeded, and then the files are part of the table.
      case e: ShreddedVariantException if Errors.mayHaveCommitted(e) => throw e
      case NonFatal(e) =>
        files.deleteAll(hadoop)
        throw e
    }
  }

  private def partitionSchema = StructType(target.partitionColumns.map(target.schema(_)))

  private def commit(files: Seq[NewFile], transaction: DeltaTransaction): Unit = {
    replaced match {
      case Replaced.Nothing => transaction.append(files, mode.toString, readsTable)
      case Replaced.Everything => transaction.replace(_ => true, files, mode.toString, seen)
      case Replaced.SamePartitions =>
        // Writers may write one partition value as different texts.
        val values = new PartitionValues(partitionSchema, conf.sessionLocalTimeZone)
        val written = files.map(file => values.row(file.partition)).toSet
        transaction.replace(file => written(values.row(file.partition)), files, mode.toString, seen)
      case Replaced.Where(condition) =>
        files.find(file => !condition.holds(file.partition)).foreach { file =>
          throw Errors.deltaReplaceWhere(target.root, condition.text, new Path(file.path).getParent.toString)
        }
        transaction.replace(file => condition.holds(file.partition), files, mode.toString, seen)
      case Replaced.Files(rewrite) =>
        if (rewrite.files.nonEmpty)
          transaction.rearrange(rewrite.snapshot, rewrite.files, files, rewrite.operation)
    }
    ()
  }
}
