/** Opens the Delta table and the version that the options of a read choose. */
package shreddedvariant.source.table

import java.time.ZoneId

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.util.{DateTimeConstants, DateTimeUtils}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.{Errors, Options, SparkBridge}
import shreddedvariant.delta.{AsOf, DeltaLog, DeltaSnapshot}

object DeltaTables {

  /** The snapshot of the table at a path that the options choose. */
  def open(path: Path, options: Map[String, String], conf: Configuration): DeltaSnapshot = {
    OfFiles.foreach { key =>
      if (Options.get(options, key).isDefined)
        throw Errors.deltaOption(path.toString, key, "only the log lists the files of the table")
    }
    DeltaLog.open(path, asOf(options), conf)
  }

  /** The path of a Delta table, if there is one; refuses other paths beside a Delta table. */
  def find(paths: Seq[String], conf: Configuration): Option[Path] = {
    val plain = paths.map(new Path(_)).filterNot(SparkBridge.isGlob)
    val table = plain.find(DeltaLog.isTable(_, conf))
    table.filter(_ => paths.size > 1).foreach(path => throw Errors.deltaAmongOthers(path.toString))
    table
  }

  /** Options that choose files of a directory. */
  private val OfFiles =
    Seq("pathGlobFilter", "recursiveFileLookup", "modifiedBefore", "modifiedAfter", "basePath")

  private def asOf(options: Map[String, String]): AsOf =
    (Options.get(options, Options.VersionAsOf), Options.get(options, Options.TimestampAsOf)) match {
      case (Some(_), Some(time)) =>
        throw Errors.optionValue(Options.TimestampAsOf, time, s"either it or ${Options.VersionAsOf}")
      case (Some(version), _) => AsOf.Version(Options.version(version))
      case (_, Some(time)) => AsOf.Time(millis(time, Options.TimestampAsOf), time)
      case _ => AsOf.Newest
    }

  /** The milliseconds of a time in an option. */
  def millis(time: String, key: String): Long = {
    val zone: ZoneId = DateTimeUtils.getZoneId(SQLConf.get.sessionLocalTimeZone)
    DateTimeUtils.stringToTimestamp(UTF8String.fromString(time), zone).fold(
      throw Errors.optionValue(key, time, "a timestamp such as 2026-01-31 12:00:00")
    )(micros => Math.floorDiv(micros, DateTimeConstants.MICROS_PER_MILLIS))
  }
}
