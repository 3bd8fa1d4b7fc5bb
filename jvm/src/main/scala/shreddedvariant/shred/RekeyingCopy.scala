/** Copies a value with the ids of another dictionary; the widths of its headers change with the ids. */
package shreddedvariant.shred

import shreddedvariant.binary.{ArrayHeader, Encoding, JoinedDictionary, ObjectHeader}

final class RekeyingCopy(target: JoinedDictionary, out: Bytes, maxDepth: Int) {
  def copy(source: StoredValue, at: Int): Unit = copy(source, at, 0)

  private def copy(source: StoredValue, at: Int, depth: Int): Unit = {
    if (depth > maxDepth) Encoding.malformed(s"it is nested deeper than $maxDepth")
    if (at == source.bytes.length) Encoding.malformed("it ends too early")
    Encoding.basicType(source.bytes, at) match {
      case Encoding.Object =>
        val fields = new ObjectHeader(source.bytes, at)
        source.budget.take(fields.length)
        val ids = new Array[Int](fields.size)
        val offsets = new Array[Int](fields.size)
        val start = out.length
        var i = 0
        while (i < fields.size) {
          ids(i) = target.idOf(source.dictionary, fields.id(i))
          offsets(i) = out.length - start
          copy(source, fields.position(i), depth + 1)
          i += 1
        }
        ValueWriter.closeObject(out, start, 0, fields.size, ids, offsets)
      case Encoding.Array =>
        val elements = new ArrayHeader(source.bytes, at)
        source.budget.take(elements.length)
        val offsets = new Array[Int](elements.size)
        val start = out.length
        var i = 0
        while (i < elements.size) {
          offsets(i) = out.length - start
          copy(source, elements.position(i), depth + 1)
          i += 1
        }
        ValueWriter.closeArray(out, start, 0, elements.size, offsets)
      case _ =>
        val size = Encoding.sizeOf(source.bytes, at)
        source.budget.take(size)
        out.put(source.bytes, at, size)
    }
    ()
  }
}
