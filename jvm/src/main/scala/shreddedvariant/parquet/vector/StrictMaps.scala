/**
 * What the layout of maps forbids and a whole map can be put together of nevertheless: a value of a hot key in the residual.
 *
 * A lookup of the key reads its sidecar alone (specification: Semantics), so it takes such a value for missing.
 */
package shreddedvariant.parquet.vector

import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.Errors
import shreddedvariant.shred.Lists

/** Of one map: the entries of its residual, and the names of its hot keys. */
final class StrictMaps(
    lists: Lists,
    keys: ColumnVector,
    values: ColumnVector,
    hotKeys: Array[UTF8String],
    name: String,
    place: BatchPosition
) {
  private val hot = hotKeys.toSet

  def check(row: Int): Unit = {
    val first = lists.start(row)
    for (e <- first until first + lists.length(row) if !values.isNullAt(e) && hot(keys.getUTF8String(e)))
      place.guard(name, row) {
        throw Errors.malformedMap(name, s"the residual has a value of the hot key '${keys.getUTF8String(e)}'")
      }
  }
}
