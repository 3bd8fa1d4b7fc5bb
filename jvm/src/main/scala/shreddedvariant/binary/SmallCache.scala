/** What was met last, by the bytes that it stands for: compared with a few is quicker than hashed, and mostly one of them. */
package shreddedvariant.binary

import java.util.Arrays

final class SmallCache[A <: AnyRef](bytesOf: A => Array[Byte]) {
  private val all = new Array[AnyRef](SmallCache.Size)
  private val bytes = new Array[Array[Byte]](SmallCache.Size)
  private var oldest = 0
  private var last = 0

  /** Null if none has the first bytes of an array. */
  def find(from: Array[Byte], length: Int): A = {
    if (!isAt(last, from, length)) {
      last = 0
      while (last < SmallCache.Size && !isAt(last, from, length)) last += 1
      if (last == SmallCache.Size) {
        last = 0
        return null.asInstanceOf[A]
      }
    }
    all(last).asInstanceOf[A]
  }

  private def isAt(i: Int, from: Array[Byte], length: Int) = {
    val own = bytes(i)
    // A column that has a dictionary of its own hands out the same array for the same bytes.
    (own eq from) && length == own.length ||
    own != null && own.length == length && Arrays.equals(own, 0, length, from, 0, length)
  }

  def add(one: A): Unit = {
    all(oldest) = one
    bytes(oldest) = bytesOf(one)
    last = oldest
    oldest = (oldest + 1) % SmallCache.Size
  }

  def clear(): Unit = {
    Arrays.fill(all, null)
    Arrays.fill(bytes.asInstanceOf[Array[AnyRef]], null)
  }
}

private object SmallCache {
  final val Size = 8
}
