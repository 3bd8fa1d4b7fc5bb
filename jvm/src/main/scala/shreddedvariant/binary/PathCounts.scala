/** What is counted at one path of a variant, by whoever walks its bytes anyway. Variant nulls are not counted. */
package shreddedvariant.binary

abstract class PathCounts {

  /** The path of a field that the walk knows by its key, and of all elements of an array. */
  def field(key: Array[Byte]): PathCounts
  def element: PathCounts

  /** Counts a value here, with all that is in it. */
  def count(bytes: Array[Byte], at: Int): Unit

  /** Counts an object or array alone: its fields and elements are told one by one. */
  def countObject(): Unit
  def countArray(): Unit

  /** Counts a field that has no [[field]], by its id in the dictionary of the variant. */
  def countOther(id: Int, bytes: Array[Byte], at: Int): Unit
}
