/** Hash functions for hash tables in memory; files contain no such hash. */
package shreddedvariant.binary

object Hash {
  private val First = 0x9e3779b97f4a7c15L
  private val Second = 0xc2b2ae3d27d4eb4fL

  /** The hash of `length` bytes. */
  def of(bytes: Array[Byte], from: Int, length: Int): Int = of(word(bytes, from, length))

  /** A 64-bit hash of `length` bytes, computed eight bytes at a time. */
  def word(bytes: Array[Byte], from: Int, length: Int): Long = {
    var hash = length * First
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
    val hash = (number ^ number >>> 32) * Second
    (hash ^ hash >>> 29).toInt ^ (hash >>> 32).toInt
  }

  private def step(hash: Long, word: Long): Long = {
    val product = (hash ^ word) * First
    product ^ product >>> 32
  }
}
