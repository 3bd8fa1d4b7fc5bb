/** The counts of one path; variant nulls are not counted. */
package shreddedvariant.infer

import java.util.Arrays

import com.google.common.math.LongMath

/** `name` is null at the root and for elements of arrays; [[PathOrder]] explains `place`. */
private[infer] final class Node(val name: Name, val place: Long) {

  /** Values by [[Kind]]. */
  val counts: Array[Long] = new Array[Long](Kind.Count)

  /** The largest absolute value of an integer. */
  var largest = 0L

  /** The maximum number of digits before the point, and the maximum scale, of the stored decimals. */
  var integerDigits = 0
  var scale = 0

  var element: Node = _

  /** Adds the node of the elements, which must not exist yet. */
  def addElement(): Node = {
    element = new Node(null, PathOrder.ofElement(place))
    element
  }

  /** The number of this object in the order of first use, by which dictionaries remember its fields. */
  var number: Int = Int.MaxValue

  private var slots: Array[Node] = Node.NoFields
  private var fields = 0

  def total: Long = {
    var sum = 0L
    var kind = 0
    while (kind < Kind.Count) {
      sum = LongMath.saturatedAdd(sum, counts(kind))
      kind += 1
    }
    sum
  }

  def count(kind: Int): Unit = counts(kind) += 1

  def countInteger(kind: Int, value: Long): Unit = {
    counts(kind) += 1
    // Long.MinValue has no absolute value; Long.MaxValue has the same number of digits.
    val magnitude = if (value >= 0) value else if (value == Long.MinValue) Long.MaxValue else -value
    if (magnitude > largest) largest = magnitude
  }

  def countDecimal(kind: Int, digits: Int, scale: Int): Unit = {
    counts(kind) += 1
    if (digits - scale > integerDigits) integerDigits = digits - scale
    if (scale > this.scale) this.scale = scale
  }

  def fieldCount: Int = fields

  def field(name: Name): Node = {
    val mask = slots.length - 1
    var slot = name.hash & mask
    var node = slots(slot)
    while (node != null && (node.name ne name)) {
      slot = (slot + 1) & mask
      node = slots(slot)
    }
    node
  }

  def placeOf(name: Name): Long = PathOrder.ofField(place, name.digits, name.bytes.length, name.spread)

  /** Adds a field, which must not exist yet. */
  def addField(name: Name): Node = {
    val node = new Node(name, placeOf(name))
    if ((fields + 1) * 2 > slots.length) {
      val old = slots
      slots = new Array[Node](math.max(4, old.length * 2))
      old.foreach(n => if (n != null) put(n))
    }
    put(node)
    fields += 1
    node
  }

  private def put(node: Node): Unit = {
    val mask = slots.length - 1
    var slot = node.name.hash & mask
    while (slots(slot) != null) slot = (slot + 1) & mask
    slots(slot) = node
  }

  def foreachField(f: Node => Unit): Unit = slots.foreach(node => if (node != null) f(node))

  /** The fields, sorted by the unsigned UTF-8 bytes of their names. */
  def sortedFields: Array[Node] = {
    val all = slots.filter(_ != null)
    Arrays.sort(all, (a: Node, b: Node) => Arrays.compareUnsigned(a.name.bytes, b.name.bytes))
    all
  }

  /** Drops the fields whose place is `limit` or later. */
  def dropFields(limit: Long): Unit = if (slots.exists(node => node != null && node.place >= limit)) {
    val old = slots
    slots = new Array[Node](old.length)
    fields = 0
    old.foreach(node => if (node != null && node.place < limit) { put(node); fields += 1 })
  }

  def addCounts(other: Node): Unit = {
    var kind = 0
    while (kind < Kind.Count) {
      counts(kind) = LongMath.saturatedAdd(counts(kind), other.counts(kind))
      kind += 1
    }
    largest = math.max(largest, other.largest)
    integerDigits = math.max(integerDigits, other.integerDigits)
    scale = math.max(scale, other.scale)
  }
}

private[infer] object Node {

  /** One empty slot, so that a lookup needs no check for an empty table. */
  private val NoFields = new Array[Node](1)
}
