/**
 * The bytes of counts of keys. Numbers are unsigned, seven bits a byte, the lowest first.
 *
 * {{{
 *   counts   version (1) | maps | how many keys, then each, in the order of their bytes:
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
  private val Version = 1

  def write(maps: Long, keys: Seq[(UTF8String, KeyCount)]): Array[Byte] = {
    val out = new ByteArrayOutputStream(64 + 32 * keys.size)
    out.write(Version)
    number(out, maps)
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

  def read(bytes: Array[Byte]): (Long, Seq[(UTF8String, KeyCount)]) = new Reader(bytes).counts

  private final class Reader(bytes: Array[Byte]) {
    private var at = 0

    def counts: (Long, Seq[(UTF8String, KeyCount)]) = {
      if (number() != Version) fail("they are of another version, or no counts")
      val maps = number()
      var left = number()
      if (left > 2L * KeyCounts.MostKeys) fail("they have too many keys")
      val keys = Seq.newBuilder[(UTF8String, KeyCount)]
      var last: UTF8String = null
      while (left > 0) {
        val key = text()
        if (last != null && last.binaryCompare(key) >= 0) fail("keys are out of order")
        last = key
        val count = new KeyCount(number(), number())
        if (count.maps == 0) fail("a count is 0")
        keys += key -> count
        left -= 1
      }
      if (at < bytes.length) fail("bytes follow their end")
      (maps, keys.result())
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
