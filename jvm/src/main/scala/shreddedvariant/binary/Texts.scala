/** Compares strings in byte arrays a word at a time, because a library call per short string costs more. */
package shreddedvariant.binary

import java.util.Arrays

object Texts {

  /** The length in bytes above which `Arrays.equals` is faster. */
  private final val Short = 32

  /** Whether two ranges of `length` bytes are equal. */
  def areEqual(a: Array[Byte], fromA: Int, b: Array[Byte], fromB: Int, length: Int): Boolean =
    if (length > Short) Arrays.equals(a, fromA, fromA + length, b, fromB, fromB + length)
    else if (length <= LittleEndian.Few)
      LittleEndian.few(a, fromA, length) == LittleEndian.few(b, fromB, length)
    else {
      def isWord(at: Int) = LittleEndian.long(a, fromA + at) == LittleEndian.long(b, fromB + at)
      var i = 0
      // The last word may overlap the previous word.
      while (i + 8 < length && isWord(i)) i += 8
      i + 8 >= length && isWord(length - 8)
    }

  /** Compares by unsigned bytes; a string that is a prefix of the other sorts first. */
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
   * The first eight bytes of a string as a number. Law: if the numbers of two strings differ, the string with
   * the smaller number sorts first by unsigned bytes. Equal numbers decide nothing, because one string may end
   * where the other has a zero byte.
   */
  def comparable(bytes: Array[Byte], at: Int, length: Int): Long =
    inOrder(if (length > LittleEndian.Few) LittleEndian.long(bytes, at)
    else LittleEndian.few(bytes, at, length))

  /** A number whose signed order is the order of the word's bytes as unsigned bytes, lowest byte first. */
  private def inOrder(word: Long): Long = java.lang.Long.reverseBytes(word) ^ Long.MinValue
}
