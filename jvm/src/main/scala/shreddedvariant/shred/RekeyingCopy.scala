/** Copies a value into another dictionary: its ids change, and with them the widths of its headers. */
package shreddedvariant.shred

import shreddedvariant.Errors
import shreddedvariant.binary.{ArrayHeader, Encoding, JoinedDictionary, ObjectHeader}

final class RekeyingCopy(path: String, into: JoinedDictionary, out: Bytes, maxBytes: Int, maxDepth: Int) {
  def copy(from: StoredValue, at: Int): Unit = copy(from, at, 0)

  private def copy(from: StoredValue, at: Int, depth: Int): Unit = {
    if (depth > maxDepth) Encoding.malformed(s"it is nested deeper than $maxDepth")
    if (out.length > maxBytes) throw Errors.tooLarge(path, maxBytes)
    if (at == from.bytes.length) Encoding.malformed("it ends too early")
    Encoding.basicType(from.bytes, at) match {
      case Encoding.Object =>
        val fields = new ObjectHeader(from.bytes, at)
        from.budget.take(fields.length)
        val ids = new Array[Int](fields.size)
        val offsets = new Array[Int](fields.size)
        val start = out.length
        var i = 0
        while (i < fields.size) {
          ids(i) = into.idOf(from.dictionary, fields.id(i))
          offsets(i) = out.length - start
          copy(from, fields.position(i), depth + 1)
          i += 1
        }
        ValueWriter.closeObject(out, start, 0, fields.size, ids, offsets)
      case Encoding.Array =>
        val elements = new ArrayHeader(from.bytes, at)
        from.budget.take(elements.length)
        val offsets = new Array[Int](elements.size)
        val start = out.length
        var i = 0
        while (i < elements.size) {
          offsets(i) = out.length - start
          copy(from, elements.position(i), depth + 1)
          i += 1
        }
        ValueWriter.closeArray(out, start, 0, elements.size, offsets)
      case _ =>
        val size = Encoding.sizeOf(from.bytes, at)
        from.budget.take(size)
        out.put(from.bytes, at, size)
    }
    ()
  }
}
