/** Hashes for tables in memory: quick, and no part of any file. */
package shreddedvariant.binary

import org.apache.spark.unsafe.Platform

object Hash {
  private val First = 0x9e3779b97f4a7c15L
  private val Second = 0xc2b2ae3d27d4eb4fL

  /** Of bytes, eight at a time. */
  def of(bytes: Array[Byte], from: Int, length: Int): Int = {
    val start = Platform.BYTE_ARRAY_OFFSET + from.toLong
    var hash = length * First
    var at = 0
    while (at + 8 <= length) {
      hash = step(hash, Platform.getLong(bytes, start + at))
      at += 8
    }
    if (at < length)
      hash =
        // The last eight bytes, of which some were there before.
        if (length >= 8) step(hash, Platform.getLong(bytes, start + length - 8))
        else step(hash, few(bytes, from, length))
    of(hash)
  }

  /** Of a number. */
  def of(number: Long): Int = {
    val hash = (number ^ number >>> 32) * Second
    (hash ^ hash >>> 29).toInt ^ (hash >>> 32).toInt
  }

  private def step(hash: Long, word: Long): Long = {
    val product = (hash ^ word) * First
    product ^ product >>> 32
  }

  private def few(bytes: Array[Byte], from: Int, length: Int): Long = {
    var word = 0L
    var i = 0
    while (i < length) {
      word = word << 8 | bytes(from + i) & 0xff
      i += 1
    }
    word
  }
}
