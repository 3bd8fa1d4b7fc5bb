/** Puts the keys of objects into the order of the specification, unsigned UTF-8; Spark writes UTF-16 order. */
package shreddedvariant.shred

import shreddedvariant.binary.{ArrayHeader, Budget, Dictionary, Encoding, ObjectHeader}

object Canonical {

  /** Whether all objects of the value are in order; walks the value only if the two orders may differ. */
  def isOrdered(dictionary: Dictionary, bytes: Array[Byte], at: Int): Boolean =
    !dictionary.ordersMayDiffer || {
      // The size of the value, which its writer takes too, limits the walk even if parts share bytes.
      val budget = new Budget(Encoding.sizeOf(bytes, at))
      new Canonical(dictionary, bytes, budget).isOrdered(at, 0)
    }

  /** Appends the value with its objects in order. Duplicate keys, which the specification forbids, are kept. */
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
      val fields = open(new ObjectHeader(bytes, at), depth)
      val order = Array.range(0, fields.size).sortBy(rank(fields, _))
      val ids = new Array[Int](fields.size)
      val offsets = new Array[Int](fields.size)
      val start = out.length
      var i = 0
      while (i < order.length) {
        ids(i) = fields.id(order(i))
        offsets(i) = out.length - start
        copy(fields.position(order(i)), out, depth + 1)
        i += 1
      }
      ValueWriter.closeObject(out, start, 0, fields.size, ids, offsets)
    case Encoding.Array =>
      val elements = open(new ArrayHeader(bytes, at), depth)
      val offsets = new Array[Int](elements.size)
      val start = out.length
      var i = 0
      while (i < elements.size) {
        offsets(i) = out.length - start
        copy(elements.position(i), out, depth + 1)
        i += 1
      }
      ValueWriter.closeArray(out, start, 0, elements.size, offsets)
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
