/** The cells of one variant column, as vectors of a batch: what a rebuilder reads. */
package shreddedvariant.shred

import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.layout.ScalarType

/**
 * `value` holds stored values, and is null where the file has no such column; `typed` are the parts beside it, of which
 * the draft layout may have several. `path` is what a user calls the cell.
 */
final class CellVector(val path: String, val value: WritableColumnVector, val typed: Array[TypedVector]) {
  def hasStored(row: Int): Boolean = value != null && !value.isNullAt(row)

  def hasTyped(row: Int): Boolean = {
    var i = 0
    while (i < typed.length && typed(i).isNullAt(row)) i += 1
    i < typed.length
  }

  def isMissing(row: Int): Boolean = !hasStored(row) && !hasTyped(row)
}

sealed abstract class TypedVector {
  def isNullAt(row: Int): Boolean
}

/** `texts` are those of the vector's dictionary, null where nobody keeps them; `textId` is -1 where the vector has the text. */
final class ScalarVector(
    val scalar: ScalarType,
    val vector: WritableColumnVector,
    val texts: DictionaryTexts = null
) extends TypedVector {
  override def isNullAt(row: Int): Boolean = vector.isNullAt(row)

  def textId(row: Int): Int =
    if (texts != null && texts.isKnown && vector.hasDictionary) vector.getDictionaryIds.getDictId(row) else -1
}

/** The texts of a dictionary, one behind the other, where a vector would follow three references to each of them. */
trait DictionaryTexts {

  /** Whether the vector's dictionary, if it has one at present, is the one here. */
  def isKnown: Boolean
  def bytes: Array[Byte]
  def start(id: Int): Int
  def end(id: Int): Int

  /**
   * Made once for all rows that have it: where rows are read in loops of calls, a text for each of them costs most. Null if
   * there is none with this id.
   */
  def text(id: Int): UTF8String
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
