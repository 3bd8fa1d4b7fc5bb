/** What a commit names: the files that a write has made, and the micro-batch of a stream. */
package shreddedvariant.delta

/** A file that was written: its path within the table, its partition's values as text, NULL as null. */
final case class NewFile(
    path: String,
    size: Long,
    modified: Long,
    rows: Long,
    partition: Map[String, String],
    stats: String
)

object NewFile {

  /** Bounds of such files are whole: of each row group, and without values that they do not know of. */
  val Tag = "shredded_variant.bounds"
  val TagValue = "1"
}

/** A micro-batch of a stream: the commit that writes it says so, and a table that has it takes it no more. */
final case class StreamBatch(query: String, id: Long)
