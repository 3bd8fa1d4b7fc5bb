/**
 * The bytes of counts of keys. Numbers are unsigned, seven bits a byte, the lowest first.
 *
 * {{{
 *   counts   version (1, or 2 if keys were left out) | maps | the guard's limit, in version 2
 *            | how many keys, then each, in the order of their bytes:
 *            | length of key, key, maps with a value for it, bytes of both
 * }}}
 *
 * Anybody may have written what is read here.
 */
package shreddedvariant.maps

import java.io.ByteArrayOutputStream

import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.Errors

private[maps] object KeyCountsFormat {
  private val Whole = 1
  private val Cut = 2

  /** Of bytes, at most: what stands before the keys, and a key with its counts. */
  val MostOfHeader = 1 + 9 + 9 + 3
  def most(key: UTF8String): Int = 2 + key.numBytes + 9 + 9

  def write(maps: Long, limit: Long, keys: Seq[(UTF8String, KeyCount)]): Array[Byte] = {
    val out = new ByteArrayOutputStream(64 + 32 * keys.size)
    val isCut = limit != KeyLimiter.Unlimited
    out.write(if (isCut) Cut else Whole)
    number(out, maps)
    if (isCut) number(out, limit)
    number(out, keys.size.toLong)
    for ((key, count) <- keys) {
      val bytes = key.getBytes
      number(out, bytes.length.toLong)
      out.write(bytes, 0, bytes.length)
      number(out, count.maps)
      number(out, count.bytes)
    }
    out.toByteArray
  }

  private def number(out: ByteArrayOutputStream, value: Long): Unit = {
    var rest = value
    while (rest > 0x7f) {
      out.write((rest & 0x7f | 0x80).toInt)
      rest >>>= 7
    }
    out.write(rest.toInt)
  }

  /** The maps, the guard's limit, and the keys. */
  def read(bytes: Array[Byte]): (Long, Long, Seq[(UTF8String, KeyCount)]) = new Reader(bytes).counts

  private final class Reader(bytes: Array[Byte]) {
    private var at = 0

    def counts: (Long, Long, Seq[(UTF8String, KeyCount)]) = {
      val version = number()
      if (version != Whole && version != Cut) fail("they are of another version, or no counts")
      val maps = number()
      val limit = if (version == Cut) number() else KeyLimiter.Unlimited
      var left = number()
      if (left > KeyCounts.MostKeys) fail("they have too many keys")
      val keys = Seq.newBuilder[(UTF8String, KeyCount)]
      var last: UTF8String = null
      while (left > 0) {
        val key = text()
        if (last != null && last.binaryCompare(key) >= 0) fail("keys are out of order")
        last = key
        if (limit != KeyLimiter.Unlimited && KeyLimiter.place(key) >= limit)
          fail("a key stands there that was left out")
        val count = new KeyCount(number(), number())
        if (count.maps == 0) fail("a count is 0")
        keys += key -> count
        left -= 1
      }
      if (at < bytes.length) fail("bytes follow their end")
      (maps, limit, keys.result())
    }

    private def text(): UTF8String = {
      val length = number()
      if (length > KeyCounts.MaxKeyBytes) fail("a key is too long")
      if (length > bytes.length - at) fail("they end too early")
      at += length.toInt
      UTF8String.fromBytes(bytes, at - length.toInt, length.toInt).copy()
    }

    private def number(): Long = {
      var value = 0L
      var shift = 0
      var more = true
      while (more) {
        if (at >= bytes.length) fail("they end too early")
        if (shift > 56) fail("a number is too large")
        value |= (bytes(at) & 0x7fL) << shift
        shift += 7
        more = bytes(at) < 0
        at += 1
      }
      value
    }

    private def fail(reason: String): Nothing = throw Errors.counts(reason)
  }
}
