/** The content of a commit: the files that a write created, and the micro-batch of a stream. */
package shreddedvariant.delta

/** A written file: its path within the table, and its partition values as text, with null for NULL. */
final case class NewFile(
    path: String,
    size: Long,
    modified: Long,
    rows: Long,
    partition: Map[String, String],
    stats: String
)

object NewFile {

  /** The tag of files whose bounds are complete: they cover every row group, and no value is outside them. */
  val Tag = "shredded_variant.bounds"
  val TagValue = "1"
}

/** A micro-batch of a stream. Its commit records the batch, so that a table does not get the batch twice. */
final case class StreamBatch(query: String, id: Long)
