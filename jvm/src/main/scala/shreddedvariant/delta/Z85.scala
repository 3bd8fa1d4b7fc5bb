/** Encodes bytes as text (ZeroMQ RFC 32): each four bytes become five of 85 characters. */
package shreddedvariant.delta

import java.util.Arrays

object Z85 {
  private val Alphabet =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
  private val digits: Array[Int] = {
    val digitOf = Array.fill(128)(-1)
    for (i <- Alphabet.indices) digitOf(Alphabet(i).toInt) = i
    digitOf
  }

  /** Zeros pad the last four bytes, so the encoded format must have its own length, like a variant. */
  def encode(bytes: Array[Byte]): String = {
    val padded = Arrays.copyOf(bytes, (bytes.length + 3) / 4 * 4)
    val text = new StringBuilder(padded.length / 4 * 5)
    for (at <- padded.indices by 4) {
      var number = 0L
      for (i <- 0 until 4) number = number << 8 | (padded(at + i) & 0xff)
      var divisor = 52200625L
      while (divisor > 0) {
        text += Alphabet((number / divisor % 85).toInt)
        divisor /= 85
      }
    }
    text.result()
  }

  /** None if the text is not an encoding of bytes. */
  def decode(text: String): Option[Array[Byte]] =
    if (text.length % 5 != 0) None
    else {
      val bytes = new Array[Byte](text.length / 5 * 4)
      var isValid = true
      for (at <- 0 until text.length by 5) {
        var number = 0L
        for (i <- 0 until 5) {
          val character = text(at + i)
          val digit = if (character < 128) digits(character.toInt) else -1
          isValid &&= digit >= 0
          number = number * 85 + digit
        }
        isValid &&= number >> 32 == 0
        for (i <- 0 until 4) bytes(at / 5 * 4 + i) = (number >> (8 * (3 - i))).toByte
      }
      Option.when(isValid)(bytes)
    }
}
