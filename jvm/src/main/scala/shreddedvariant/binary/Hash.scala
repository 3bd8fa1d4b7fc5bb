/** Hashes for tables in memory: quick, and no part of any file. */
package shreddedvariant.binary

object Hash {
  private val First = 0x9e3779b97f4a7c15L
  private val Second = 0xc2b2ae3d27d4eb4fL

  /** Of bytes. */
  def of(bytes: Array[Byte], from: Int, length: Int): Int = of(word(bytes, from, length))

  /** A word that bytes make, eight at a time. */
  def word(bytes: Array[Byte], from: Int, length: Int): Long = {
    var hash = length * First
    var at = 0
    while (at + 8 <= length) {
      hash = step(hash, LittleEndian.long(bytes, from + at))
      at += 8
    }
    if (at == length) hash
    // The last eight bytes, of which some were there before.
    else if (length >= 8) step(hash, LittleEndian.long(bytes, from + length - 8))
    else step(hash, LittleEndian.few(bytes, from, length))
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
}
