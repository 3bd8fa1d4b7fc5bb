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

  /** Those that are true or false. */
  val switches: Seq[String] = Seq(IgnoreDeletes, IgnoreChanges, SkipChangeCommits)

  val all: Seq[OptionDoc] = Seq(
    OptionDoc(
      StartingVersion,
      "–",
      "A stream from a Delta table: the first version whose new rows are read, or `latest` for those that come; without " +
        "it, the rows of the table are read first."
    ),
    OptionDoc(
      StartingTimestamp,
      "–",
      "A stream from a Delta table: the first version is that of this time or later."
    ),
    OptionDoc(
      MaxFilesPerTrigger,
      "1000",
      "A stream from a Delta table: how many files a micro-batch has at most. Streams of files: as in Spark."
    ),
    OptionDoc(
      MaxBytesPerTrigger,
      "–",
      "A stream from a Delta table: how many bytes the files of a micro-batch have, but for one file that has more."
    ),
    OptionDoc(
      IgnoreDeletes,
      "false",
      "A stream from a Delta table: whether versions that only take rows away are passed over."
    ),
    OptionDoc(
      IgnoreChanges,
      "false",
      "A stream from a Delta table: whether of versions that replace rows the new files are read, rows that were in the " +
        "old ones too."
    ),
    OptionDoc(
      SkipChangeCommits,
      "false",
      "A stream from a Delta table: whether versions that take rows away are passed over with all that they add."
    )
  )
}
