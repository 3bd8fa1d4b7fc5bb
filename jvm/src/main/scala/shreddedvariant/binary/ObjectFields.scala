/**
 * Which fields of a shape the keys of an object are. Variants with one dictionary mostly have the same keys in the same
 * places, so who shreds them looks keys up once, and then sees that an object is like the one before.
 *
 * Law: an object's keys are its size and ids, as wide as the header says, with its dictionary. Where these bytes are the
 * same, so is all that was found of them: which keys are fields, that none stands twice, and that all are in the dictionary.
 */
package shreddedvariant.binary

/**
 * `keys` are the bytes of an object until its offsets; `fields` has the field of each key, or -1; `missing` are the fields
 * that the object lacks.
 */
final class ObjectFields(keys: Array[Byte], val fields: Array[Int], val missing: Array[Int]) {

  /** About how many bytes it takes in memory. */
  private[binary] val weight: Long = 100L + keys.length + 4L * fields.length + 4L * missing.length

  /** How many keys are no fields. */
  val others: Int = fields.count(_ < 0)

  /** Whether the object at `at` has these keys. */
  def areOf(bytes: Array[Byte], at: Int): Boolean =
    bytes.length - at >= keys.length && ((bytes(at) ^ keys(0)) & ~ObjectFields.OffsetWidth) == 0 &&
      Texts.areEqual(keys, 1, bytes, at + 1, keys.length - 1)
}

private object ObjectFields {

  /** The bits of the header for the width of offsets: objects with the same keys have wider ones as their values grow. */
  private final val OffsetWidth = 0xc
}
