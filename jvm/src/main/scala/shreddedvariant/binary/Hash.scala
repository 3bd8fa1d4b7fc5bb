/** Hashes for tables in memory: quick, and no part of any file. */
package shreddedvariant.binary

object Hash {
  private val First = 0x9e3779b97f4a7c15L
  private val Second = 0xc2b2ae3d27d4eb4fL

  /** Of bytes, eight at a time. */
  def of(bytes: Array[Byte], from: Int, length: Int): Int = {
    var hash = length * First
    var at = 0
    while (at + 8 <= length) {
      hash = step(hash, LittleEndian.long(bytes, from + at))
      at += 8
    }
    if (at < length)
      hash =
        // The last eight bytes, of which some were there before.
        if (length >= 8) step(hash, LittleEndian.long(bytes, from + length - 8))
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

  /** Of one to seven bytes: their two ends, which meet or overlap. */
  private def few(bytes: Array[Byte], from: Int, length: Int): Long =
    if (length >= 4)
      LittleEndian.int(bytes, from).toLong << 32 | LittleEndian.int(bytes, from + length - 4) & 0xffffffffL
    else
      bytes(from) & 0xffL | (bytes(from + length / 2) & 0xffL) << 8 | (bytes(from + length - 1) & 0xffL) << 16
}
