/**
 * The guard against maps that hold new keys in every row: at most 100,000 keys of a column are tracked, or few more.
 *
 * As for paths of variants (`infer.Guard`), every key has a place by its name alone: keys with few digits come first, then
 * short ones, then it is a matter of hashes. Of too many keys those from a place on, the limit, are left out. The limit is
 * a function of the set of all keys, and more keys can only lower it: so a key that is left out never comes back, one that
 * is kept was counted from its first map on, and neither the order of rows nor the way they are split shows.
 */
package shreddedvariant.maps

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.hash.Murmur3_x86_32
import org.apache.spark.unsafe.types.UTF8String

private[maps] object KeyLimiter {
  final val Unlimited = Long.MaxValue

  /** {{{ digits (11 bits) | bytes (11) | hash (41) }}} No key that is tracked has more than 1,024 of either. */
  def place(key: UTF8String): Long = {
    val bytes = key.getBytes
    var digits = 0L
    bytes.foreach(b => if (b >= '0' && b <= '9') digits += 1)
    def half(seed: Int) =
      Murmur3_x86_32.hashUnsafeBytes(
        bytes,
        Platform.BYTE_ARRAY_OFFSET.toLong,
        bytes.length,
        seed
      ) & 0xffffffffL
    digits << 52 | bytes.length.toLong << 41 | (half(42) << 9 | half(7) & 0x1ff)
  }

  /** The limit that leaves as many keys as are allowed, or some less; Unlimited if all may stay. */
  def limit(places: Array[Long], most: Int): Long = {
    java.util.Arrays.sort(places)
    if (places.length <= most) Unlimited else places(most)
  }
}
