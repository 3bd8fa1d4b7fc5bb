/** Shortens strings and binaries to bounds: both are truncated, and then the upper bound is increased. */
package shreddedvariant.delta

import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, StandardCharsets}

object Shortened {

  /**
   * Maximum characters of strings, like `delta.dataSkippingStringPrefixLength` of Delta; and bytes of binaries.
   */
  val Length = 32

  /** The bytes as a string; None if they are not UTF-8. */
  def text(bytes: Array[Byte]): Option[String] =
    try Some(StandardCharsets.UTF_8.newDecoder.decode(ByteBuffer.wrap(bytes)).toString)
    catch { case _: CharacterCodingException => None }

  /** A prefix, which is not greater than the string in the order of UTF-8 bytes and of code points. */
  def lower(text: String): String = {
    val points = text.codePoints.limit(Length.toLong).toArray
    new String(points, 0, points.length)
  }

  /** A short string that is not less than the string; None if there is none. */
  def upper(text: String): Option[String] = {
    val points = text.codePoints.toArray
    if (points.length <= Length) Some(text)
    else raised(points.take(Length))(nextPoint).map(raised => new String(raised, 0, raised.length))
  }

  def lower(bytes: Array[Byte]): Array[Byte] = bytes.take(Length)

  def upper(bytes: Array[Byte]): Option[Array[Byte]] =
    if (bytes.length <= Length) Some(bytes)
    else raised(bytes.take(Length).map(_ & 0xff))(b => Option.when(b < 0xff)(b + 1)).map(_.map(_.toByte))

  /** Greater than everything with this prefix: increases the last element that can be, and drops the rest. */
  private def raised(points: Array[Int])(next: Int => Option[Int]): Option[Array[Int]] = {
    val last = points.lastIndexWhere(next(_).isDefined)
    Option.when(last >= 0)(points.take(last) ++ next(points(last)))
  }

  /** The next code point of text; U+D800 to U+DFFF do not occur in text. */
  private def nextPoint(point: Int): Option[Int] =
    if (point == Character.MAX_CODE_POINT) None else Some(if (point == 0xd7ff) 0xe000 else point + 1)
}
