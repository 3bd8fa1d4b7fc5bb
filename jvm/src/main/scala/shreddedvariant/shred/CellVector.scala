/** The cells of one variant column, as vectors of a batch: what a rebuilder reads. */
package shreddedvariant.shred

import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import shreddedvariant.layout.ScalarType

/** `value` and `typed` are null where the file has no such column; `path` is what a user calls the cell. */
final class CellVector(val path: String, val value: WritableColumnVector, val typed: TypedVector) {
  def isMissing(row: Int): Boolean =
    (value == null || value.isNullAt(row)) && (typed == null || typed.isNullAt(row))
}

sealed abstract class TypedVector {
  def isNullAt(row: Int): Boolean
}

final class ScalarVector(val scalar: ScalarType, val vector: WritableColumnVector) extends TypedVector {
  override def isNullAt(row: Int): Boolean = vector.isNullAt(row)
}

/** Fields are ordered by key. */
final class ObjectVector(val keys: Array[String], val cells: Array[CellVector], val presence: Presence)
    extends TypedVector {
  override def isNullAt(row: Int): Boolean = !presence.isPresent(row)
}

final class ArrayVector(val lists: Lists, val element: CellVector) extends TypedVector {
  override def isNullAt(row: Int): Boolean = lists.length(row) < 0
}

/** Which rows of a batch have a group. */
trait Presence {
  def isPresent(row: Int): Boolean
}

/** Where the elements of each row's list stand; a negative length says that the row has no list. */
trait Lists {
  def start(row: Int): Int
  def length(row: Int): Int
}
