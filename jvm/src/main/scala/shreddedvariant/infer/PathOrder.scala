/**
 * The order of paths by their names alone, as one number for each path: its place.
 *
 * Every path has a place by its names alone: paths with few digits come first, then those near the root, then short
 * ones, then it is a matter of hashes. Names that people gave so come before the ids and dates that programs make up,
 * which is what fills objects without end; and a path comes before all that is below it. Where there are more paths than
 * the guard allows, those from a place on, the limit, are left out.
 */
package shreddedvariant.infer

private[infer] object PathOrder {

  /** {{{ digits (7 bits) | depth (7) | bytes of all names (12) | hash (37) }}} Digits and bytes stay at their maximum. */
  final val Root = 0L

  def ofField(parent: Long, digits: Int, length: Int, hash: Long): Long =
    place(
      math.min((parent >>> 56) + digits, 0x7f),
      (parent >>> 49 & 0x7f) + 1,
      math.min((parent >>> 37 & 0xfff) + length, 0xfff),
      mix(parent ^ hash)
    )

  def ofElement(parent: Long): Long =
    place(parent >>> 56, (parent >>> 49 & 0x7f) + 1, parent >>> 37 & 0xfff, mix(~parent))

  private def place(digits: Long, depth: Long, length: Long, hash: Long) =
    digits << 56 | depth << 49 | length << 37 | hash >>> 27

  /** Spreads all bits over all others: the finaliser of MurmurHash3. */
  private def mix(bits: Long): Long = {
    var b = bits
    b = (b ^ (b >>> 33)) * 0xff51afd7ed558ccdL
    b = (b ^ (b >>> 33)) * 0xc4ceb9fe1a85ec53L
    b ^ (b >>> 33)
  }
}
