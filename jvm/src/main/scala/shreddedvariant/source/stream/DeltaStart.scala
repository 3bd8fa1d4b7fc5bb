/** The start of a stream from a Delta table, and the limit of its micro-batches, from its options. */
package shreddedvariant.source.stream

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.connector.read.streaming.ReadLimit
import shreddedvariant.{Errors, Options, StreamOptions}
import shreddedvariant.delta.{DeltaCommits, DeltaSnapshot}
import shreddedvariant.source.table.DeltaTables

private[source] object DeltaStart {
  private val DefaultFiles = 1000

  def of(table: DeltaSnapshot, commits: DeltaCommits, options: Map[String, String]): DeltaOffset = {
    def commit(version: Long) = DeltaOffset(table.id, version, -1, isSnapshot = false)
    (
      Options.get(options, StreamOptions.StartingVersion),
      Options.get(options, StreamOptions.StartingTimestamp)
    ) match {
      case (Some(_), Some(time)) =>
        throw Errors.optionValue(
          StreamOptions.StartingTimestamp,
          time,
          s"either it or ${StreamOptions.StartingVersion}"
        )
      case (Some(version), _) if version.equalsIgnoreCase("latest") => commit(commits.newest + 1)
      case (Some(text), _) =>
        val version = Options.version(text, StreamOptions.StartingVersion)
        if (version > commits.newest)
          throw Errors.optionValue(
            StreamOptions.StartingVersion,
            text,
            s"a version up to ${commits.newest}, or latest"
          )
        commit(version)
      case (_, Some(time)) =>
        commit(commits.since(DeltaTables.millis(time, StreamOptions.StartingTimestamp), time))
      case _ => DeltaOffset(table.id, table.version, -1, isSnapshot = true)
    }
  }

  def limit(options: Map[String, String]): ReadLimit = {
    val files = Options.get(options, StreamOptions.MaxFilesPerTrigger).map { text =>
      text.trim.toIntOption.filter(_ > 0).getOrElse(
        throw Errors.optionValue(StreamOptions.MaxFilesPerTrigger, text, "a number from 1 on")
      )
    }
    val bytes = Options.get(options, StreamOptions.MaxBytesPerTrigger).map { text =>
      val size =
        try JavaUtils.byteStringAsBytes(text)
        catch { case _: NumberFormatException => -1L }
      if (size < 1) throw Errors.optionValue(StreamOptions.MaxBytesPerTrigger, text, "a size such as 64m")
      size
    }
    val limits = files.map(ReadLimit.maxFiles(_)).toSeq ++ bytes.map(ReadLimit.maxBytes(_))
    if (limits.isEmpty) ReadLimit.maxFiles(DefaultFiles) else ReadLimit.compositeLimit(limits.toArray)
  }
}
