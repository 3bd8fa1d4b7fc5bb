/**
 * How far a stream has read a Delta table, as checkpoints keep it.
 *
 * {{{
 *   { "table" : "5c6d…", "version" : 7, "file" : 2, "isSnapshot" : false }
 * }}}
 * Of a commit, all versions before it are read, and the files that it added up to this one, counted from 0 in the order
 * of the log; of a snapshot, the files that the table had at the version, the oldest first. -1 is none of them.
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

  /** None for what is no such offset. */
  def parse(json: String): Option[DeltaOffset] = for {
    root <- Try(mapper.readTree(json)).toOption.filter(root => root != null && root.isObject)
    table = root.path("table")
    (version, file, isSnapshot) = (root.path("version"), root.path("file"), root.path("isSnapshot"))
    if table.isTextual && version.isIntegralNumber && version.canConvertToLong && version.longValue >= 0
    if file.isInt && file.intValue >= -1 && isSnapshot.isBoolean
  } yield DeltaOffset(table.textValue, version.longValue, file.intValue, isSnapshot.booleanValue)
}
