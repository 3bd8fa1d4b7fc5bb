/**
 * Refuses cells that the current layout forbids but that can be rebuilt: objects with a shredded key in
 * `value`.
 *
 * Readers of a path read only the typed column (specification: Shredded Objects), so they do not find such a
 * key.
 */
package shreddedvariant.shred

import shreddedvariant.Errors
import shreddedvariant.binary.{Encoding, MalformedVariant, ObjectHeader}

final class StrictCells(root: CellVector, keys: RowKeys) {
  def check(row: Int): Unit = check(root, row)

  private def check(cell: CellVector, row: Int): Unit = cell.typed match {
    case Array(fields: ObjectVector) =>
      if (cell.hasStored(row)) checkStored(cell, fields, row)
      if (!fields.isNullAt(row)) fields.cells.foreach(check(_, row))
    case Array(array: ArrayVector) =>
      val (first, size) = (array.lists.start(row), array.lists.length(row))
      for (i <- 0 until size) check(array.element, first + i)
    case _ =>
  }

  private def checkStored(cell: CellVector, fields: ObjectVector, row: Int): Unit =
    try {
      val stored = keys.stored(cell, row)
      if (Encoding.basicType(stored.bytes, stored.at) == Encoding.Object) {
        if (fields.isNullAt(row)) throw Errors.storedObject(cell.path)
        val header = new ObjectHeader(stored.bytes, stored.at)
        for (i <- 0 until header.size) {
          val key = stored.dictionary.dictionary.key(header.id(i))
          if (fields.keys.contains(key)) throw keys.conflict(cell, s"both have the key '$key'")
        }
      }
    } catch { case e: MalformedVariant => throw Errors.malformedValue(cell.path, e.reason) }
}
