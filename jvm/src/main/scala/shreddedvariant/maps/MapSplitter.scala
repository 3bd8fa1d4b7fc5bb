/**
 * A map → the values of its hot keys, and the residual.
 *
 * Law: an entry stands in its key's sidecar if its value is not null, else in the residual, and nothing else does. So the
 * residual and the sidecars together are the map; and a lookup of a hot key is its sidecar alone, since all that the
 * residual has of that key is null, as the lookup is then.
 *
 * A key that stands twice would break the law, because a lookup takes the first of the two: such a map is refused.
 */
package shreddedvariant.maps

import java.util.Arrays

import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, MapData}
import org.apache.spark.sql.types.MapType
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.Errors

final class MapSplitter(name: String, map: MapType, hotKeys: Seq[String]) {
  import MapSplitter._

  private val hot = hotKeys.map(UTF8String.fromString).toArray
  private val table = hashed(hot)
  private val isLength = lengths(hot)
  private val places = new Array[Int](hot.length)
  private var left = new Array[Int](0)

  def size: Int = hot.length

  /** Puts the values of the hot keys into `values` from `first` on, and gives the residual, which is good until the next. */
  def split(entries: MapData, values: Array[Any], first: Int): MapData = {
    val promoted = find(entries)
    val from = entries.valueArray()
    var k = 0
    while (k < hot.length) {
      values(first + k) = if (places(k) < 0) null else from.get(places(k), map.valueType)
      k += 1
    }
    if (promoted == 0) entries else residual(entries, promoted)
  }

  /** Finds the hot keys in a map; how many of them have values. */
  private def find(entries: MapData): Int = {
    val count = entries.numElements()
    val (entryKeys, entryValues) = (entries.keyArray(), entries.valueArray())
    Arrays.fill(places, Absent)
    var promoted = 0
    var i = 0
    while (i < count) {
      val key = entryKeys.getUTF8String(i)
      val k = number(key)
      if (k >= 0) {
        if (places(k) != Absent) throw Errors.mapKeyTwice(name, key.toString)
        if (entryValues.isNullAt(i)) places(k) = IsNull
        else {
          places(k) = i
          promoted += 1
        }
      }
      i += 1
    }
    promoted
  }

  private def residual(entries: MapData, promoted: Int): MapData = {
    val size = entries.numElements() - promoted
    if (left.length < size) left = new Array[Int](math.max(size, 2 * left.length))
    val taken = places.filter(_ >= 0).sorted
    var t = 0
    var l = 0
    while (l < size)
      if (t < promoted && taken(t) == l + t) t += 1
      else {
        left(l) = l + t
        l += 1
      }
    new ArrayBasedMapData(
      new EntriesLeft(entries.keyArray(), left, size),
      new EntriesLeft(entries.valueArray(), left, size)
    )
  }

  /** The number of a hot key; -1 for others, most of which their length tells. */
  private def number(key: UTF8String): Int =
    if (!isLength(math.min(key.numBytes, LongKey))) -1
    else {
      var slot = key.hashCode & (table.length - 1)
      while (table(slot) >= 0 && hot(table(slot)) != key) slot = (slot + 1) & (table.length - 1)
      table(slot)
    }
}

private object MapSplitter {
  val Absent: Int = -1
  val IsNull: Int = -2

  /** Keys from this length on are not told apart by it. */
  val LongKey = 64

  def lengths(keys: Array[UTF8String]): Array[Boolean] = {
    val found = new Array[Boolean](LongKey + 1)
    keys.foreach(key => found(math.min(key.numBytes, LongKey)) = true)
    found
  }

  /** The numbers of keys in an open table of a power of two, at most half full; -1 where it is free. */
  def hashed(keys: Array[UTF8String]): Array[Int] = {
    val table = Array.fill(Integer.highestOneBit(math.max(2 * keys.length, 1)) << 1)(-1)
    for (k <- keys.indices) {
      var slot = keys(k).hashCode & (table.length - 1)
      while (table(slot) >= 0) slot = (slot + 1) & (table.length - 1)
      table(slot) = k
    }
    table
  }
}
