/** The cells of one variant column as vectors of a batch, from which a rebuilder reads. */
package shreddedvariant.shred

import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.layout.ScalarType

/**
 * `value` has the stored values; it is null if the file has no such column. `typed` has the typed parts, of
 * which the draft layout may have several. `path` names the cell to the user.
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

/** `texts`, if not null, has the strings of the vector's dictionary; `textId` is -1 if it lacks the string. */
final class ScalarVector(
    val scalar: ScalarType,
    val vector: WritableColumnVector,
    val texts: DictionaryTexts = null
) extends TypedVector {
  override def isNullAt(row: Int): Boolean = vector.isNullAt(row)

  def textId(row: Int): Int =
    if (texts != null && texts.isKnown && vector.hasDictionary) vector.getDictionaryIds.getDictId(row) else -1
}

/** The strings of a Parquet dictionary in one array; a vector follows three references to each string. */
trait DictionaryTexts {

  /** Whether these are the strings of the vector's current dictionary, if the vector has one. */
  def isKnown: Boolean
  def bytes: Array[Byte]
  def start(id: Int): Int
  def end(id: Int): Int

  /**
   * The string with this id, or null. All rows with the same id get the same object, because creating an object
   * for each row is the largest cost of reading row by row.
   */
  def text(id: Int): UTF8String
}

/** Fields are sorted by key. */
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

/** The positions of the elements of each row's list; a negative length means that the row has no list. */
trait Lists {
  def start(row: Int): Int
  def length(row: Int): Int
}
