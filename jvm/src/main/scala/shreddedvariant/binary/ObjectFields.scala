/**
 * Maps the keys of an object to the fields of a shape. Variants with the same dictionary mostly have the same
 * keys in the same order. So the shredder looks up the keys once and reuses the result for each object whose
 * key bytes are equal.
 *
 * Law: the keys of an object follow from its size and ids, from the widths of both in the header, and from its
 * dictionary. If these are equal, so are all results of the lookup: which keys are fields, that no key occurs
 * twice, and that all ids are in the dictionary.
 */
package shreddedvariant.binary

/**
 * `keys` has the bytes of an object before its offsets; `fields` has the field of each key, or -1; `missing`
 * has the fields that the object lacks.
 */
final class ObjectFields(keys: Array[Byte], val fields: Array[Int], val missing: Array[Int]) {

  /** The approximate number of bytes in memory. */
  private[binary] val weight: Long = 100L + keys.length + 4L * fields.length + 4L * missing.length

  /** The number of keys that are not fields. */
  val others: Int = fields.count(_ < 0)

  /** Whether the object at `at` has these keys. */
  def areOf(bytes: Array[Byte], at: Int): Boolean =
    bytes.length - at >= keys.length && ((bytes(at) ^ keys(0)) & ~ObjectFields.OffsetWidth) == 0 &&
      Texts.areEqual(keys, 1, bytes, at + 1, keys.length - 1)
}

private object ObjectFields {

  /** The header bits for the width of offsets. They are not compared: larger values have wider offsets. */
  private final val OffsetWidth = 0xc
}
