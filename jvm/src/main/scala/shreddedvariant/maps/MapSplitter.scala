/**
 * Splits a map into the values of its hot keys and the residual.
 *
 * Law: an entry of a hot key is in the sidecar of the key if its value is not null; every other entry is in the
 * residual. So the residual and the sidecars together are the map. A lookup of a hot key needs the sidecar
 * alone: if the residual has the key, the value there is null, and then the sidecar is null too.
 *
 * A hot key that occurs twice would break the law, because a lookup takes the first of the two: such a map is
 * refused.
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

  /** For each hot key, the index of its entry in the current map, or `Absent` or `IsNull`. */
  private val places = new Array[Int](hot.length)
  private var remaining = new Array[Int](0)

  def size: Int = hot.length

  /**
   * Puts the values of the hot keys into `values` from `first` on. The residual is valid until the next call.
   */
  def split(entries: MapData, values: Array[Any], first: Int): MapData = {
    val promoted = find(entries)
    val entryValues = entries.valueArray()
    var k = 0
    while (k < hot.length) {
      values(first + k) = if (places(k) < 0) null else entryValues.get(places(k), map.valueType)
      k += 1
    }
    if (promoted == 0) entries else residual(entries, promoted)
  }

  /** Finds the hot keys in a map, and returns the number of those that have a value. */
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
    if (remaining.length < size) remaining = new Array[Int](math.max(size, 2 * remaining.length))
    val removed = places.filter(_ >= 0).sorted
    var r = 0
    var i = 0
    while (i < size)
      if (r < promoted && removed(r) == i + r) r += 1
      else {
        remaining(i) = i + r
        i += 1
      }
    new ArrayBasedMapData(
      new EntriesLeft(entries.keyArray(), remaining, size),
      new EntriesLeft(entries.valueArray(), remaining, size)
    )
  }

  /** The number of a hot key; -1 for other keys, most of which are recognised by their length. */
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

  /** All keys of at least this length share one entry in `lengths`. */
  val LongKey = 64

  def lengths(keys: Array[UTF8String]): Array[Boolean] = {
    val occurs = new Array[Boolean](LongKey + 1)
    keys.foreach(key => occurs(math.min(key.numBytes, LongKey)) = true)
    occurs
  }

  /** The numbers of the keys in a hash table with open addressing, at most half full; -1 in free slots. */
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
