/**
 * Refuses maps with a value of a hot key in the residual, which the layout forbids but a whole read accepts.
 *
 * A lookup of the key reads only its sidecar (specification: Semantics), so it does not find such a value.
 */
package shreddedvariant.parquet.vector

import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.Errors
import shreddedvariant.shred.Lists

/** `lists`, `keys` and `values` are the entries of the residual; `hotKeys` are the names of the hot keys. */
final class StrictMaps(
    lists: Lists,
    keys: ColumnVector,
    values: ColumnVector,
    hotKeys: Array[UTF8String],
    name: String,
    position: BatchPosition
) {
  private val hot = hotKeys.toSet

  def check(row: Int): Unit = {
    val first = lists.start(row)
    for (entry <- first until first + lists.length(row))
      if (!values.isNullAt(entry) && hot(keys.getUTF8String(entry))) position.guard(name, row) {
        val key = keys.getUTF8String(entry)
        throw Errors.malformedMap(name, s"the residual has a value of the hot key '$key'")
      }
  }
}
