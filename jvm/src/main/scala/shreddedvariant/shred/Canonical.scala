/** The order of keys in objects: the specification wants unsigned UTF-8, Spark writes UTF-16. */
package shreddedvariant.shred

import shreddedvariant.binary.{ArrayHeader, Dictionary, Encoding, ObjectHeader}

object Canonical {

  /** Whether the value's objects are in order; asked only where the dictionary has keys that two orders may part. */
  def isOrdered(dictionary: Dictionary, bytes: Array[Byte], at: Int): Boolean =
    !dictionary.ordersMayDiffer || (Encoding.basicType(bytes, at) match {
      case Encoding.Object =>
        val fields = new ObjectHeader(bytes, at)
        (0 until fields.size).forall { i =>
          val inOrder = i == 0 || rank(dictionary, fields, i - 1) < rank(dictionary, fields, i)
          inOrder && isOrdered(dictionary, bytes, fields.position(i))
        }
      case Encoding.Array =>
        val elements = new ArrayHeader(bytes, at)
        (0 until elements.size).forall(i => isOrdered(dictionary, bytes, elements.position(i)))
      case _ => true
    })

  private def rank(dictionary: Dictionary, fields: ObjectHeader, i: Int) =
    dictionary.ranks(dictionary.checkId(fields.id(i)))

  /** The value with its objects in order. Equal keys in one object, which the specification forbids, stay as they are. */
  def copy(dictionary: Dictionary, bytes: Array[Byte], at: Int, out: Bytes): Unit =
    Encoding.basicType(bytes, at) match {
      case Encoding.Object =>
        val from = new ObjectHeader(bytes, at)
        val order = (0 until from.size).sortBy(rank(dictionary, from, _))
        val ids = new Array[Int](from.size)
        val offsets = new Array[Int](from.size)
        val start = out.length
        for ((i, to) <- order.zipWithIndex) {
          ids(to) = from.id(i)
          offsets(to) = out.length - start
          copy(dictionary, bytes, from.position(i), out)
        }
        ValueWriter.closeObject(out, start, 0, from.size, ids, offsets)
      case Encoding.Array =>
        val from = new ArrayHeader(bytes, at)
        val offsets = new Array[Int](from.size)
        val start = out.length
        for (i <- 0 until from.size) {
          offsets(i) = out.length - start
          copy(dictionary, bytes, from.position(i), out)
        }
        ValueWriter.closeArray(out, start, 0, from.size, offsets)
      case _ => out.put(bytes, at, Encoding.sizeOf(bytes, at))
    }
}
