/** Where the entry of one key stands in each map of a batch. */
package shreddedvariant.parquet.vector

import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.maps.PickedEntry
import shreddedvariant.parquet.file.RowGroup
import shreddedvariant.shred.Lists

/**
 * Like Spark's own lookup it takes the first of equal keys. Keys that are encoded with a dictionary are compared by their
 * ids, each of which is looked at once: a row group has one dictionary for a leaf.
 */
final class MapLookup(keys: WritableColumnVector, lists: Lists, key: UTF8String) extends PickedEntry
    with Assembled {
  private var entries = new Array[Int](0)
  private var known = new Array[Byte](0)

  /** The entry of the key; -1 where the map has none or is NULL. */
  override def of(row: Int): Int = entries(row)

  def isNull(row: Int): Boolean = lists.length(row) < 0

  override def open(group: RowGroup): Unit = java.util.Arrays.fill(known, MapLookup.Unseen)

  override def assemble(rows: Int): Unit = {
    if (entries.length < rows) entries = new Array[Int](rows)
    val ids = if (keys.hasDictionary) keys.getDictionaryIds else null
    var row = 0
    while (row < rows) {
      val start = lists.start(row)
      val end = start + math.max(lists.length(row), 0)
      var entry = start
      while (entry < end && !isKey(entry, ids)) entry += 1
      entries(row) = if (entry < end) entry else -1
      row += 1
    }
  }

  private def isKey(entry: Int, ids: WritableColumnVector): Boolean =
    if (ids == null) keys.getUTF8String(entry) == key
    else {
      val id = ids.getDictId(entry)
      if (id >= known.length) known = java.util.Arrays.copyOf(known, math.max(id + 1, 2 * known.length))
      if (known(id) == MapLookup.Unseen)
        known(id) = if (keys.getUTF8String(entry) == key) MapLookup.Equal else MapLookup.Other
      known(id) == MapLookup.Equal
    }
}

private[parquet] object MapLookup {
  val Unseen: Byte = 0
  val Equal: Byte = 1
  val Other: Byte = 2
}
