/** The options of streams from Delta tables: a part of [[Options]]. */
package shreddedvariant

object StreamOptions {
  val StartingVersion = "startingVersion"
  val StartingTimestamp = "startingTimestamp"
  val MaxFilesPerTrigger = "maxFilesPerTrigger"
  val MaxBytesPerTrigger = "maxBytesPerTrigger"
  val IgnoreDeletes = "ignoreDeletes"
  val IgnoreChanges = "ignoreChanges"
  val SkipChangeCommits = "skipChangeCommits"

  /** The options whose values are true or false. */
  val switches: Seq[String] = Seq(IgnoreDeletes, IgnoreChanges, SkipChangeCommits)

  val all: Seq[OptionDoc] = Seq(
    OptionDoc(
      StartingVersion,
      "–",
      "A stream from a Delta table: the first version whose new rows are read, or `latest` for later versions only; " +
        "without this option, the rows of the table are read first."
    ),
    OptionDoc(
      StartingTimestamp,
      "–",
      "A stream from a Delta table: the first version that is read is the first one of this time or later."
    ),
    OptionDoc(
      MaxFilesPerTrigger,
      "1000",
      "A stream from a Delta table: the maximal number of files of a micro-batch. Streams of files: as in Spark."
    ),
    OptionDoc(
      MaxBytesPerTrigger,
      "–",
      "A stream from a Delta table: the maximal size of the files of a micro-batch; one larger file is a batch of its own."
    ),
    OptionDoc(
      IgnoreDeletes,
      "false",
      "A stream from a Delta table: whether versions that only remove rows are skipped."
    ),
    OptionDoc(
      IgnoreChanges,
      "false",
      "A stream from a Delta table: whether the new files of versions that replace rows are read; these files may have " +
        "rows of the old files again."
    ),
    OptionDoc(
      SkipChangeCommits,
      "false",
      "A stream from a Delta table: whether versions that remove rows are skipped, with the rows that they add."
    )
  )
}
