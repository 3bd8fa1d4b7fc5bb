/** How many bytes of a value may still be walked. */
package shreddedvariant.binary

/**
 * Law (specification: Value Data for Object, Value Data for Array): an object or array has a value of its own for each field
 * or element. So its parts share no bytes, and all headers and scalars of a value together are no longer than the value.
 * Where several offsets point to the same bytes, a short value could hold more values than can be walked in any time.
 *
 * Who walks takes the header of each object and array, and each text, as long as it is. Other scalars need not be taken:
 * the header around them has a byte for each.
 */
final class Budget(private var left: Int) {
  def reset(bytes: Int): Unit = left = bytes

  def take(bytes: Int): Unit = {
    left -= bytes
    if (left < 0) Encoding.malformed("its parts overlap or end too early")
  }
}
