/** Counts the values at one path of a variant for code that walks the bytes; variant nulls are not counted. */
package shreddedvariant.binary

abstract class PathCounts {

  /** The counts at the path of a field. */
  def field(key: Array[Byte]): PathCounts

  /** The counts at the common path of all elements of an array. */
  def element: PathCounts

  /** Counts a value at this path, and all values inside it. */
  def count(bytes: Array[Byte], at: Int): Unit

  /** Counts an object or array without its fields or elements, which the caller counts one by one. */
  def countObject(): Unit
  def countArray(): Unit

  /** Counts a field for which the caller has no [[field]], by the id of its key in the variant's dictionary. */
  def countOther(id: Int, bytes: Array[Byte], at: Int): Unit
}
