/** Limits how many bytes a walk through a variant value reads. */
package shreddedvariant.binary

/**
 * Law (specification: Value Data for Object, Value Data for Array): each field or element of an object or array
 * has its own value. So the parts of a value share no bytes, and all headers and scalars of a value together
 * are no longer than the value. If several offsets of a malformed value point to the same bytes, the number of
 * its parts can grow exponentially with its length; the budget ends the walk through such a value.
 *
 * A walk takes the length of each object header, each array header and each string. It need not take other
 * scalars: the header of their object or array has at least one byte for each of them.
 */
final class Budget(private var remaining: Int) {
  def reset(bytes: Int): Unit = remaining = bytes

  def take(bytes: Int): Unit = {
    remaining -= bytes
    if (remaining < 0) Encoding.malformed("its parts overlap or end too early")
  }
}
