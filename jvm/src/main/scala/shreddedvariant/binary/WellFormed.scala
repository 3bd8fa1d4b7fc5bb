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

  /** Raises [[MalformedVariant]]. */
  def check(metadata: Array[Byte], value: Array[Byte]): Unit = {
    val keys = new Dictionary(metadata)
    if (keys.handedOn ne metadata)
      Encoding.malformed("its metadata says that its keys are sorted and unique, and they are not")
    new WellFormed(keys, value).check(0, value.length, 0)
  }
}

private final class WellFormed(keys: Dictionary, bytes: Array[Byte]) {

  private val budget = new Budget(bytes.length)

  private def check(at: Int, end: Int, depth: Int): Unit = {
    if (at >= end) Encoding.malformed("a value ends behind what holds it")
    val size = Encoding.sizeOf(bytes, at)
    if (at + size > end) Encoding.malformed("a value ends behind what holds it")
    val kind = Encoding.basicType(bytes, at)
    if (kind == Encoding.Primitive || kind == Encoding.ShortString) {
      budget.take(size)
      if (kind == Encoding.ShortString) checkText(at + 1, size - 1)
      else if (Encoding.primitiveId(bytes, at) == Encoding.LongString) checkText(at + 5, size - 5)
    } else if (depth < Encoding.MaxDepth)
      if (kind == Encoding.Object) checkObject(at, depth + 1) else checkArray(at, depth + 1)
  }

  private def checkObject(at: Int, depth: Int): Unit = {
    val header = new ObjectHeader(bytes, at)
    budget.take(header.length)
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
    budget.take(header.length)
    val end = header.position(header.size)
    var i = 0
    while (i < header.size) {
      check(header.position(i), end, depth)
      i += 1
    }
  }

  private def checkText(at: Int, length: Int): Unit =
    try { StandardCharsets.UTF_8.newDecoder.decode(ByteBuffer.wrap(bytes, at, length)); () }
    catch { case _: CharacterCodingException => Encoding.malformed("a string is no UTF-8") }
}
