/** The order of keys in objects: the specification wants unsigned UTF-8, Spark writes UTF-16. */
package shreddedvariant.shred

import shreddedvariant.binary.{ArrayHeader, Budget, Dictionary, Encoding, ObjectHeader}

object Canonical {

  /** Whether the value's objects are in order; asked only where the dictionary has keys that two orders may part. */
  def isOrdered(dictionary: Dictionary, bytes: Array[Byte], at: Int): Boolean =
    !dictionary.ordersMayDiffer || {
      // No more than whoever writes the value takes for it, however many values share their bytes.
      val budget = new Budget(Encoding.sizeOf(bytes, at))
      new Canonical(dictionary, bytes, budget).isOrdered(at, 0)
    }

  /** The value with its objects in order. Equal keys in one object, which the specification forbids, stay as they are. */
  def copy(dictionary: Dictionary, bytes: Array[Byte], at: Int, out: Bytes, budget: Budget): Unit =
    new Canonical(dictionary, bytes, budget).copy(at, out, 0)
}

private final class Canonical(dictionary: Dictionary, bytes: Array[Byte], budget: Budget) {
  def isOrdered(at: Int, depth: Int): Boolean = Encoding.basicType(bytes, at) match {
    case Encoding.Object =>
      val fields = open(new ObjectHeader(bytes, at), depth)
      def inOrder(i: Int) = i == 0 || rank(fields, i - 1) < rank(fields, i)
      var i = 0
      while (i < fields.size && inOrder(i) && isOrdered(fields.position(i), depth + 1)) i += 1
      i == fields.size
    case Encoding.Array =>
      val elements = open(new ArrayHeader(bytes, at), depth)
      var i = 0
      while (i < elements.size && isOrdered(elements.position(i), depth + 1)) i += 1
      i == elements.size
    case _ => true
  }

  def copy(at: Int, out: Bytes, depth: Int): Unit = Encoding.basicType(bytes, at) match {
    case Encoding.Object =>
      val from = open(new ObjectHeader(bytes, at), depth)
      val order = Array.range(0, from.size).sortBy(rank(from, _))
      val ids = new Array[Int](from.size)
      val offsets = new Array[Int](from.size)
      val start = out.length
      var to = 0
      while (to < order.length) {
        ids(to) = from.id(order(to))
        offsets(to) = out.length - start
        copy(from.position(order(to)), out, depth + 1)
        to += 1
      }
      ValueWriter.closeObject(out, start, 0, from.size, ids, offsets)
    case Encoding.Array =>
      val from = open(new ArrayHeader(bytes, at), depth)
      val offsets = new Array[Int](from.size)
      val start = out.length
      var i = 0
      while (i < from.size) {
        offsets(i) = out.length - start
        copy(from.position(i), out, depth + 1)
        i += 1
      }
      ValueWriter.closeArray(out, start, 0, from.size, offsets)
    case _ =>
      val size = Encoding.sizeOf(bytes, at)
      budget.take(size)
      out.put(bytes, at, size)
  }

  private def open(header: ObjectHeader, depth: Int): ObjectHeader = { take(header.length, depth); header }
  private def open(header: ArrayHeader, depth: Int): ArrayHeader = { take(header.length, depth); header }

  private def take(length: Int, depth: Int): Unit = {
    if (depth > Encoding.MaxDepth) Encoding.malformed(s"it is nested deeper than ${Encoding.MaxDepth}")
    budget.take(length)
  }

  private def rank(fields: ObjectHeader, i: Int) = dictionary.ranks(dictionary.checkId(fields.id(i)))
}
