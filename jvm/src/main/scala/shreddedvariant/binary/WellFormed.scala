/**
 * Whether all of a variant is as the encoding says, down to its last value: what readers believe without a look.
 *
 * Keys of an object are in order, each once: readers find them by bisection. Spark orders them as UTF-16, which is
 * another order where keys lie beyond the basic plane; there order is not asked for.
 */
package shreddedvariant.binary

import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, StandardCharsets}
import java.util.Arrays

object WellFormed {

  /** Below this depth nothing is looked at: no reader of ours goes there. */
  private val MaxDepth = 1000

  /** Raises [[MalformedVariant]]. */
  def check(metadata: Array[Byte], value: Array[Byte]): Unit = {
    val keys = new Dictionary(metadata)
    new WellFormed(keys, value).check(0, value.length, 0)
  }
}

private final class WellFormed(keys: Dictionary, bytes: Array[Byte]) {

  /** Values that are still to come: each takes a byte of its own, so parts that overlap are too many at some time. */
  private var left = bytes.length

  private def check(at: Int, end: Int, depth: Int): Unit = {
    left -= 1
    if (left < 0) Encoding.malformed("its parts overlap or end too early")
    if (at >= end || at + Encoding.sizeOf(bytes, at) > end)
      Encoding.malformed("a value ends behind what holds it")
    Encoding.basicType(bytes, at) match {
      case Encoding.Object if depth < WellFormed.MaxDepth => checkObject(at, depth + 1)
      case Encoding.Primitive => checkPrimitive(at)
      case Encoding.ShortString => checkText(at + 1, (bytes(at) & 0xff) >> 2)
      case _ if depth < WellFormed.MaxDepth => checkArray(at, depth + 1)
      case _ =>
    }
  }

  private def checkObject(at: Int, depth: Int): Unit = {
    val header = new ObjectHeader(bytes, at)
    val end = header.position(header.size)
    var i = 0
    while (i < header.size) {
      val id = keys.checkId(header.id(i))
      if (i > 0 && !isAfter(header.id(i - 1), id))
        Encoding.malformed("the keys of an object are not in order")
      check(header.position(i), end, depth)
      i += 1
    }
  }

  private def isAfter(before: Int, id: Int) = {
    val order = Arrays.compareUnsigned(
      keys.bytes,
      keys.keyStart(before),
      keys.keyEnd(before),
      keys.bytes,
      keys.keyStart(id),
      keys.keyEnd(id)
    )
    order < 0 || order > 0 && keys.ordersMayDiffer
  }

  private def checkArray(at: Int, depth: Int): Unit = {
    val header = new ArrayHeader(bytes, at)
    val end = header.position(header.size)
    var i = 0
    while (i < header.size) {
      check(header.position(i), end, depth)
      i += 1
    }
  }

  private def checkPrimitive(at: Int): Unit = Encoding.primitiveId(bytes, at) match {
    case Encoding.LongString => checkText(at + 5, Encoding.unsigned(bytes, at + 1, 4))
    case _ =>
  }

  private def checkText(at: Int, length: Int): Unit =
    try { StandardCharsets.UTF_8.newDecoder.decode(ByteBuffer.wrap(bytes, at, length)); () }
    catch { case _: CharacterCodingException => Encoding.malformed("a string is no UTF-8") }
}
