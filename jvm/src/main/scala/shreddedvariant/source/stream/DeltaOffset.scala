/**
 * The position of a stream in a Delta table, as checkpoints have it.
 *
 * {{{
 *   { "table" : "5c6d…", "version" : 7, "file" : 2, "isSnapshot" : false }
 * }}}
 * Position in a commit: the stream has read all versions before `version`, and the files that `version` added
 * up to number `file`, counted from 0 in the order of the log. Position in a snapshot: the stream has read the
 * files of the table at `version` up to number `file`, counted from 0, the oldest first. -1 is before the first
 * file.
 */
package shreddedvariant.source.stream

import scala.util.Try

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.connector.read.streaming.Offset

final case class DeltaOffset(table: String, version: Long, file: Int, isSnapshot: Boolean) extends Offset {
  override def json: String = DeltaOffset.mapper
    .createObjectNode()
    .put("table", table)
    .put("version", version)
    .put("file", file)
    .put("isSnapshot", isSnapshot)
    .toString
}

object DeltaOffset {
  private val mapper = new ObjectMapper

  /** None if the text is not such an offset. */
  def parse(json: String): Option[DeltaOffset] = for {
    root <- Try(mapper.readTree(json)).toOption.filter(root => root != null && root.isObject)
    table = root.path("table")
    (version, file, isSnapshot) = (root.path("version"), root.path("file"), root.path("isSnapshot"))
    if table.isTextual && version.isIntegralNumber && version.canConvertToLong && version.longValue >= 0
    if file.isInt && file.intValue >= -1 && isSnapshot.isBoolean
  } yield DeltaOffset(table.textValue, version.longValue, file.intValue, isSnapshot.booleanValue)
}
