/** Reads counts that anybody may have written: what comes out obeys the limits that counting obeys. */
package shreddedvariant.infer

import java.util.Arrays

import shreddedvariant.Errors

private[infer] final class CountsReader(bytes: Array[Byte], names: NameTable) {
  import CountsFormat._

  private var at = 0
  private var nodes = 0

  if (number() != Version) fail("they are of another version, or no counts")
  val rows: Long = number()
  private val flags = number()
  if (flags > (LongNames | Cut)) fail("a flag is unknown")
  val longNames: Boolean = (flags & LongNames) != 0
  val limit: Long = if ((flags & Cut) != 0) number() else PathLimiter.Unlimited
  val tree = new Node(null, PathOrder.Root)
  fill(tree, 0)
  if (at < bytes.length) fail("bytes follow their end")

  def paths: Int = nodes

  private def fill(node: Node, depth: Int): Unit = {
    nodes += 1
    if (nodes > PathLimiter.MaxPaths) fail("they have too many paths")
    if (node.place >= limit) fail("a path stands there that was left out")
    if (depth > PathLimiter.MaxDepth) fail("they are nested too deep")
    val bits = small((1 << 23) - 1)
    def has(bit: Int) = (bits & 1 << bit) != 0
    val kinds = (0 until Kind.Count).filter(has)
    kinds.foreach { kind =>
      node.counts(kind) = number()
      if (node.counts(kind) == 0) fail("a count is 0")
    }
    if (kinds.exists(Kind.isInteger)) node.largest = number()
    if (kinds.exists(Kind.isDecimal)) {
      node.integerDigits = small(38)
      node.scale = small(38)
    }
    if ((bits & Element) != 0) {
      fill(node.addElement(), depth + 1)
    }
    if ((bits & Fields) != 0) fillFields(node, depth)
  }

  private def fillFields(node: Node, depth: Int): Unit = {
    var left = small(PathLimiter.MaxPaths)
    var last: Array[Byte] = null
    while (left > 0) {
      val length = small(Name.MaxBytes)
      if (length > bytes.length - at) truncated()
      val name = names.intern(bytes, at, at + length, Name.hash(bytes, at, at + length))
      at += length
      if (last != null && Arrays.compareUnsigned(last, name.bytes) >= 0) fail("names are out of order")
      last = name.bytes
      fill(node.addField(name), depth + 1)
      left -= 1
    }
  }

  private def number(): Long = {
    var value = 0L
    var shift = 0
    var more = true
    while (more) {
      if (at >= bytes.length) truncated()
      val byte = bytes(at)
      at += 1
      if (shift > 56) fail("a number is too large")
      value |= (byte & 0x7fL) << shift
      shift += 7
      more = byte < 0
    }
    value
  }

  private def small(max: Int): Int = {
    val value = number()
    if (value > max) fail("a number is too large")
    value.toInt
  }

  private def truncated(): Nothing = fail("they end too early")

  private def fail(reason: String): Nothing = throw Errors.counts(reason)
}
