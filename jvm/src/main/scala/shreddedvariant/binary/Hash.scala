/**
 * Hash functions for hash tables in memory; files contain no such hash.
 *
 * Each process has its own random factors, so files cannot contain keys that collide on purpose. Tables of such
 * keys would take quadratic time.
 */
package shreddedvariant.binary

import java.security.SecureRandom

object Hash {
  private val (first, second) = {
    val random = new SecureRandom
    (random.nextLong() | 1, random.nextLong() | 1)
  }

  /** The hash of `length` bytes. */
  def of(bytes: Array[Byte], from: Int, length: Int): Int = of(word(bytes, from, length))

  /** A 64-bit hash of `length` bytes, computed eight bytes at a time. */
  def word(bytes: Array[Byte], from: Int, length: Int): Long = {
    var hash = length * first
    var at = 0
    while (at + 8 <= length) {
      hash = step(hash, LittleEndian.long(bytes, from + at))
      at += 8
    }
    if (at == length) hash
    // The last eight bytes overlap bytes that are already in the hash.
    else if (length >= 8) step(hash, LittleEndian.long(bytes, from + length - 8))
    else step(hash, LittleEndian.few(bytes, from, length))
  }

  /** The hash of a number. */
  def of(number: Long): Int = {
    val hash = (number ^ number >>> 32) * second
    (hash ^ hash >>> 29).toInt ^ (hash >>> 32).toInt
  }

  private def step(hash: Long, word: Long): Long = {
    val mixed = hash ^ word
    // The upper half of the product: without it, flips of the highest bits would collide for all factors.
    mixed * first ^ Math.multiplyHigh(mixed, first)
  }
}
