/** Finds the entry of one key in each map of a batch. */
package shreddedvariant.parquet.vector

import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.maps.PickedEntry
import shreddedvariant.parquet.file.RowGroup
import shreddedvariant.shred.Lists

/**
 * Takes the first of equal keys, like Spark's own lookup. Dictionary-encoded keys are compared by their ids.
 * The text of each id is compared once, because a leaf has one dictionary in a row group.
 */
final class MapLookup(keys: WritableColumnVector, lists: Lists, key: UTF8String) extends PickedEntry
    with Assembled {
  private var entries = new Array[Int](0)
  private var matches = new Array[Byte](0)

  /** The index of the entry; -1 if the map does not have the key or is NULL. */
  override def of(row: Int): Int = entries(row)

  def isNull(row: Int): Boolean = lists.length(row) < 0

  override def open(group: RowGroup): Unit = java.util.Arrays.fill(matches, MapLookup.Unseen)

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
      if (id >= matches.length)
        matches = java.util.Arrays.copyOf(matches, math.max(id + 1, 2 * matches.length))
      if (matches(id) == MapLookup.Unseen)
        matches(id) = if (keys.getUTF8String(entry) == key) MapLookup.Equal else MapLookup.Other
      matches(id) == MapLookup.Equal
    }
}

private[parquet] object MapLookup {
  val Unseen: Byte = 0
  val Equal: Byte = 1
  val Other: Byte = 2
}
