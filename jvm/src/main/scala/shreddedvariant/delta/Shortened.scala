/** Long strings and binaries as short bounds: the lower one is cut off, the upper one is cut off and then raised. */
package shreddedvariant.delta

import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, StandardCharsets}

object Shortened {

  /** Characters of a string, as Delta has it for `delta.dataSkippingStringPrefixLength`; and bytes of a binary. */
  val Length = 32

  /** None for bytes that are no UTF-8. */
  def text(bytes: Array[Byte]): Option[String] =
    try Some(StandardCharsets.UTF_8.newDecoder.decode(ByteBuffer.wrap(bytes)).toString)
    catch { case _: CharacterCodingException => None }

  /** Not greater than the string, in the order of bytes in UTF-8, which is that of code points. */
  def lower(text: String): String = {
    val points = text.codePoints.limit(Length.toLong).toArray
    new String(points, 0, points.length)
  }

  /** Not less than the string; None where nothing so short is. */
  def upper(text: String): Option[String] = {
    val points = text.codePoints.toArray
    if (points.length <= Length) Some(text)
    else raised(points.take(Length))(nextPoint).map(raised => new String(raised, 0, raised.length))
  }

  def lower(bytes: Array[Byte]): Array[Byte] = bytes.take(Length)

  def upper(bytes: Array[Byte]): Option[Array[Byte]] =
    if (bytes.length <= Length) Some(bytes)
    else raised(bytes.take(Length).map(_ & 0xff))(b => Option.when(b < 0xff)(b + 1)).map(_.map(_.toByte))

  /** Greater than all that begins like this: the last place that has a next one takes it, and what follows is left out. */
  private def raised(points: Array[Int])(next: Int => Option[Int]): Option[Array[Int]] = {
    val last = points.lastIndexWhere(next(_).isDefined)
    Option.when(last >= 0)(points.take(last) ++ next(points(last)))
  }

  /** Code points between U+D800 and U+DFFF are none of text. */
  private def nextPoint(point: Int): Option[Int] =
    if (point == Character.MAX_CODE_POINT) None else Some(if (point == 0xd7ff) 0xe000 else point + 1)
}
