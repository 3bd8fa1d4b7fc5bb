/**
 * Checks that a whole variant follows the encoding, including the parts that readers trust without a check.
 *
 * The keys of an object must be sorted and unique, because readers find them by bisection. Spark sorts keys by
 * UTF-16, which differs from UTF-8 for keys beyond the basic plane; if the dictionary has such keys, the order
 * is not checked. Values that are nested deeper than [[Encoding.MaxDepth]] are not checked.
 */
package shreddedvariant.binary

import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, StandardCharsets}
import java.util.Arrays

object WellFormed {

  /** Throws [[MalformedVariant]] at the first violation. */
  def check(metadata: Array[Byte], value: Array[Byte]): Unit = {
    val keys = new Dictionary(metadata)
    if (keys.forSpark ne metadata)
      Encoding.malformed("its metadata says that its keys are sorted and unique, and they are not")
    new WellFormed(keys, value).check(0, value.length, 0)
  }
}

private final class WellFormed(keys: Dictionary, bytes: Array[Byte]) {

  private val budget = new Budget(bytes.length)

  private def check(at: Int, end: Int, depth: Int): Unit = {
    if (at >= end) Encoding.malformed("a value ends after the value that contains it")
    val size = Encoding.sizeOf(bytes, at)
    if (at + size > end) Encoding.malformed("a value ends after the value that contains it")
    val kind = Encoding.basicType(bytes, at)
    if (kind == Encoding.Primitive || kind == Encoding.ShortString) {
      budget.take(size)
      if (kind == Encoding.ShortString) checkText(at + 1, size - 1)
      else if (Encoding.primitiveId(bytes, at) == Encoding.LongString) checkText(at + 5, size - 5)
    } else if (depth < Encoding.MaxDepth)
      if (kind == Encoding.Object) {
        val fields = new ObjectHeader(bytes, at)
        checkParts(fields.length, fields.size, fields.position, depth + 1)(checkKey(fields, _))
      } else {
        val elements = new ArrayHeader(bytes, at)
        checkParts(elements.length, elements.size, elements.position, depth + 1)(_ => ())
      }
  }

  /** Checks the fields of an object or the elements of an array, whose header takes `length` bytes. */
  private def checkParts(length: Int, size: Int, position: Int => Int, depth: Int)(
      checkKey: Int => Unit
  ): Unit = {
    budget.take(length)
    val end = position(size)
    var i = 0
    while (i < size) {
      checkKey(i)
      check(position(i), end, depth)
      i += 1
    }
  }

  private def checkKey(fields: ObjectHeader, i: Int): Unit = {
    val id = keys.checkId(fields.id(i))
    if (i > 0 && !isAfter(fields.id(i - 1), id))
      Encoding.malformed("the keys of an object are not in order")
  }

  private def isAfter(previous: Int, id: Int) = {
    val order = Arrays.compareUnsigned(
      keys.bytes,
      keys.keyStart(previous),
      keys.keyEnd(previous),
      keys.bytes,
      keys.keyStart(id),
      keys.keyEnd(id)
    )
    order < 0 || order > 0 && keys.ordersMayDiffer
  }

  private def checkText(at: Int, length: Int): Unit =
    try { StandardCharsets.UTF_8.newDecoder.decode(ByteBuffer.wrap(bytes, at, length)); () }
    catch { case _: CharacterCodingException => Encoding.malformed("a string is no UTF-8") }
}
