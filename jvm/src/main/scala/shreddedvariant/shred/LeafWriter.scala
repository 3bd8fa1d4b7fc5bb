/** A leaf of the row group that is being written: gets a value or a null for each row or element, with its levels. */
package shreddedvariant.shred

abstract class LeafWriter {
  def writeNull(r: Int, d: Int): Unit
  def write(bytes: Array[Byte], from: Int, length: Int, r: Int, d: Int): Unit
  def write(value: Int, r: Int, d: Int): Unit
  def write(value: Long, r: Int, d: Int): Unit
  def write(value: Boolean, r: Int, d: Int): Unit
  def write(value: Float, r: Int, d: Int): Unit
  def write(value: Double, r: Int, d: Int): Unit
}
