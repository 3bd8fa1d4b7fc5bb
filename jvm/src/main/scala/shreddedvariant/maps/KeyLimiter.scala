/**
 * Limits the tracked keys of a column to 100,000, or a few more for a time, because maps may have new keys in
 * every row.
 *
 * As for paths of variants (`infer.PathLimiter`), each key has a place in an order that depends on its name
 * alone: keys with few digits come first, then short keys, then keys with a low hash. If there are too many
 * keys, all keys from a certain place on, the limit, are left out. Law: the limit is a function of the set of
 * all keys, and more keys can only lower the limit. So a key that is left out never comes back, a key that is
 * kept was counted from its first map on, and the result does not depend on the order of rows or on how they
 * are split.
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

  /** The limit that keeps at most `maxKeys` keys; Unlimited if all keys are kept. */
  def limit(places: Array[Long], maxKeys: Int): Long = {
    java.util.Arrays.sort(places)
    if (places.length <= maxKeys) Unlimited else places(maxKeys)
  }
}
