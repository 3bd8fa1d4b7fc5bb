/** Texts in arrays of bytes, compared a word at a time: most are short, and a call for each would take longer. */
package shreddedvariant.binary

import java.util.Arrays

object Texts {

  /** Beyond so many bytes the call of a loop over longer words is worth it. */
  private final val Short = 32

  /** Whether bytes are the same. */
  def areEqual(a: Array[Byte], fromA: Int, b: Array[Byte], fromB: Int, length: Int): Boolean =
    if (length > Short) Arrays.equals(a, fromA, fromA + length, b, fromB, fromB + length)
    else if (length <= LittleEndian.Few)
      LittleEndian.few(a, fromA, length) == LittleEndian.few(b, fromB, length)
    else {
      def isWord(at: Int) = LittleEndian.long(a, fromA + at) == LittleEndian.long(b, fromB + at)
      var i = 0
      // The last word may begin within the one before it.
      while (i + 8 < length && isWord(i)) i += 8
      i + 8 >= length && isWord(length - 8)
    }

  /** The order of unsigned bytes, of which one that ends where another goes on comes first. */
  def compare(a: Array[Byte], fromA: Int, lengthA: Int, b: Array[Byte], fromB: Int, lengthB: Int): Int = {
    val length = math.min(lengthA, lengthB)
    var i = 0
    while (i + 8 <= length) {
      val wordOfA = LittleEndian.long(a, fromA + i)
      val wordOfB = LittleEndian.long(b, fromB + i)
      if (wordOfA != wordOfB) return java.lang.Long.compare(inOrder(wordOfA), inOrder(wordOfB))
      i += 8
    }
    val endOfA = LittleEndian.few(a, fromA + i, length - i)
    val endOfB = LittleEndian.few(b, fromB + i, length - i)
    if (endOfA != endOfB) java.lang.Long.compare(inOrder(endOfA), inOrder(endOfB))
    else Integer.compare(lengthA, lengthB)
  }

  /**
   * The first bytes of a text as a number. Law: of two texts the one with the smaller number comes first in the order of
   * unsigned bytes; equal numbers tell nothing, as a text may end where another has a zero.
   */
  def comparable(bytes: Array[Byte], at: Int, length: Int): Long =
    inOrder(if (length > LittleEndian.Few) LittleEndian.long(bytes, at)
    else LittleEndian.few(bytes, at, length))

  /** As a number that is compared with its sign as the word's bytes are compared without, the lowest one first. */
  private def inOrder(word: Long): Long = java.lang.Long.reverseBytes(word) ^ Long.MinValue
}
