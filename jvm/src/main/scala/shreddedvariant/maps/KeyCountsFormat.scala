/**
 * The byte format of key counts. Numbers are unsigned, with seven bits in each byte, the lowest bits first.
 *
 * {{{
 *   counts   version (1, or 2 if keys were left out) | number of maps | limit, in version 2
 *            | number of keys, then for each key, sorted by bytes:
 *            | length of key, key, number of maps with a value for the key, bytes of key and values
 * }}}
 *
 * The reader does not trust the bytes.
 */
package shreddedvariant.maps

import java.io.ByteArrayOutputStream

import org.apache.parquet.bytes.BytesUtils.writeUnsignedVarLong
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.Errors

private[maps] object KeyCountsFormat {
  private val Whole = 1
  private val Cut = 2

  /** The maximum number of bytes before the keys, and of a key with its counts. */
  val MaxHeaderBytes = 1 + 9 + 9 + 3
  def maxBytes(key: UTF8String): Int = 2 + key.numBytes + 9 + 9

  def write(maps: Long, limit: Long, keys: Seq[(UTF8String, KeyCount)]): Array[Byte] = {
    val out = new ByteArrayOutputStream(64 + 32 * keys.size)
    val isCut = limit != KeyLimiter.Unlimited
    out.write(if (isCut) Cut else Whole)
    writeUnsignedVarLong(maps, out)
    if (isCut) writeUnsignedVarLong(limit, out)
    writeUnsignedVarLong(keys.size.toLong, out)
    for ((key, count) <- keys) {
      val bytes = key.getBytes
      writeUnsignedVarLong(bytes.length.toLong, out)
      out.write(bytes, 0, bytes.length)
      writeUnsignedVarLong(count.maps, out)
      writeUnsignedVarLong(count.bytes, out)
    }
    out.toByteArray
  }

  /** The number of maps, the limit, and the keys. */
  def read(bytes: Array[Byte]): (Long, Long, Seq[(UTF8String, KeyCount)]) = new Reader(bytes).counts

  private final class Reader(bytes: Array[Byte]) {
    private var position = 0

    def counts: (Long, Long, Seq[(UTF8String, KeyCount)]) = {
      val version = number()
      if (version != Whole && version != Cut) fail("they are of another version, or no counts")
      val maps = number()
      val limit = if (version == Cut) number() else KeyLimiter.Unlimited
      var remaining = number()
      if (remaining > KeyCounts.MaxCountedKeys) fail("they have too many keys")
      val keys = Seq.newBuilder[(UTF8String, KeyCount)]
      var previous: UTF8String = null
      while (remaining > 0) {
        val key = text()
        if (previous != null && previous.binaryCompare(key) >= 0) fail("keys are out of order")
        previous = key
        if (limit != KeyLimiter.Unlimited && KeyLimiter.place(key) >= limit)
          fail("they have a key beyond their limit")
        val count = new KeyCount(number(), number())
        if (count.maps == 0) fail("a count is 0")
        keys += key -> count
        remaining -= 1
      }
      if (position < bytes.length) fail("bytes follow their end")
      (maps, limit, keys.result())
    }

    private def text(): UTF8String = {
      val length = number()
      if (length > KeyCounts.MaxKeyBytes) fail("a key is too long")
      if (length > bytes.length - position) fail("they end too early")
      position += length.toInt
      UTF8String.fromBytes(bytes, position - length.toInt, length.toInt).copy()
    }

    private def number(): Long = {
      var value = 0L
      var shift = 0
      var hasMore = true
      while (hasMore) {
        if (position >= bytes.length) fail("they end too early")
        if (shift > 56) fail("a number is too large")
        value |= (bytes(position) & 0x7fL) << shift
        shift += 7
        hasMore = bytes(position) < 0
        position += 1
      }
      value
    }

    private def fail(reason: String): Nothing = throw Errors.counts(reason)
  }
}
