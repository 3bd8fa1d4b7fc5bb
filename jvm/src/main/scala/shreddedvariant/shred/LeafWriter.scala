/** A leaf of the row group being written; takes a value or a null for each row or element, with its levels. */
package shreddedvariant.shred

/** `r` is the repetition level, `d` the definition level. */
abstract class LeafWriter {
  def writeNull(r: Int, d: Int): Unit
  def write(bytes: Array[Byte], from: Int, length: Int, r: Int, d: Int): Unit
  def write(value: Int, r: Int, d: Int): Unit
  def write(value: Long, r: Int, d: Int): Unit
  def write(value: Boolean, r: Int, d: Int): Unit
  def write(value: Float, r: Int, d: Int): Unit
  def write(value: Double, r: Int, d: Int): Unit
}
