/** Eight-entry cache keyed by bytes: comparing with eight keys is faster than hashing, and most lookups hit. */
package shreddedvariant.binary

import java.util.Arrays

final class SmallCache[A <: AnyRef](bytesOf: A => Array[Byte]) {
  private val entries = new Array[AnyRef](SmallCache.Size)
  private val keys = new Array[Array[Byte]](SmallCache.Size)
  private var oldest = 0
  private var lastHit = 0

  /** The entry whose key equals the first `length` bytes of `from`; null if there is none. */
  def find(from: Array[Byte], length: Int): A = {
    if (!isAt(lastHit, from, length)) {
      lastHit = 0
      while (lastHit < SmallCache.Size && !isAt(lastHit, from, length)) lastHit += 1
      if (lastHit == SmallCache.Size) {
        lastHit = 0
        return null.asInstanceOf[A]
      }
    }
    entries(lastHit).asInstanceOf[A]
  }

  private def isAt(i: Int, from: Array[Byte], length: Int) = {
    val key = keys(i)
    // A column with a Parquet dictionary returns the same array for equal bytes.
    (key eq from) && length == key.length ||
    key != null && key.length == length && Arrays.equals(key, 0, length, from, 0, length)
  }

  def add(entry: A): Unit = {
    entries(oldest) = entry
    keys(oldest) = bytesOf(entry)
    lastHit = oldest
    oldest = (oldest + 1) % SmallCache.Size
  }

  def clear(): Unit = {
    Arrays.fill(entries, null)
    Arrays.fill(keys.asInstanceOf[Array[AnyRef]], null)
  }
}

private object SmallCache {
  final val Size = 8
}
