/** Copies a value with the keys of every object in the specification's order, unsigned UTF-8. */
package shreddedvariant.shred

object Canonical {

  /**
   * Only worth calling where `dictionary.ordersMayDiffer`. Equal keys in one object, which the specification forbids,
   * keep the order that they have.
   */
  def copy(dictionary: Dictionary, bytes: Array[Byte], at: Int, out: Bytes): Unit =
    Encoding.basicType(bytes, at) match {
      case Encoding.Object =>
        val from = new ObjectHeader(bytes, at)
        val order = (0 until from.size).sortBy(i => dictionary.ranks(dictionary.checkId(from.id(i))))
        val ids = new Array[Int](from.size)
        val offsets = new Array[Int](from.size)
        val start = out.length
        for ((i, to) <- order.zipWithIndex) {
          ids(to) = from.id(i)
          offsets(to) = out.length - start
          copy(dictionary, bytes, from.position(i), out)
        }
        ValueWriter.closeObject(out, start, from.size, ids, offsets)
      case Encoding.Array =>
        val from = new ArrayHeader(bytes, at)
        val offsets = new Array[Int](from.size)
        val start = out.length
        for (i <- 0 until from.size) {
          offsets(i) = out.length - start
          copy(dictionary, bytes, from.position(i), out)
        }
        ValueWriter.closeArray(out, start, from.size, offsets)
      case _ => out.put(bytes, at, Encoding.sizeOf(bytes, at))
    }
}
