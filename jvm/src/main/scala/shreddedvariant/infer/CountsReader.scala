/** Reads counts from untrusted bytes; enforces the same limits as counting. */
package shreddedvariant.infer

import java.util.Arrays

import shreddedvariant.Errors

private[infer] final class CountsReader(bytes: Array[Byte], names: NameTable) {
  import CountsFormat._

  private var position = 0
  private var nodes = 0

  if (number() != Version) fail("they are of another version, or no counts")
  val rows: Long = number()
  private val flags = number()
  if (flags > (LongNames | Cut)) fail("a flag is unknown")
  val longNames: Boolean = (flags & LongNames) != 0
  val limit: Long = if ((flags & Cut) != 0) number() else PathLimiter.Unlimited
  val tree = new Node(null, PathOrder.Root)
  fill(tree, 0)
  if (position < bytes.length) fail("bytes follow their end")

  def paths: Int = nodes

  private def fill(node: Node, depth: Int): Unit = {
    nodes += 1
    if (nodes > PathLimiter.MaxPaths) fail("they have too many paths")
    if (node.place >= limit) fail("they have a path beyond their limit")
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
    var remaining = small(PathLimiter.MaxPaths)
    var previous: Array[Byte] = null
    while (remaining > 0) {
      val length = small(Name.MaxBytes)
      if (length > bytes.length - position) truncated()
      val name =
        names.intern(bytes, position, position + length, Name.hash(bytes, position, position + length))
      position += length
      if (previous != null && Arrays.compareUnsigned(previous, name.bytes) >= 0)
        fail("names are out of order")
      previous = name.bytes
      fill(node.addField(name), depth + 1)
      remaining -= 1
    }
  }

  private def number(): Long = {
    var value = 0L
    var shift = 0
    var hasMore = true
    while (hasMore) {
      if (position >= bytes.length) truncated()
      val byte = bytes(position)
      position += 1
      if (shift > 56) fail("a number is too large")
      value |= (byte & 0x7fL) << shift
      shift += 7
      hasMore = byte < 0
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
