/**
 * The order of paths, as one number for each path: its place.
 *
 * The place of a path depends on its names alone: paths with few digits come first, then paths near the root,
 * then short paths, then paths with a low hash. So names from a fixed schema come before generated ids and
 * dates, of which there may be any number, and a path comes before all paths below it. If there are too many
 * paths, [[PathLimiter]] leaves out all paths from a certain place on.
 */
package shreddedvariant.infer

private[infer] object PathOrder {

  /** {{{ digits (7 bits) | depth (7) | bytes of all names (12) | hash (37) }}} Digits and bytes saturate. */
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

  /** The finaliser of MurmurHash3: every bit affects every other bit. */
  private def mix(bits: Long): Long = {
    var b = bits
    b = (b ^ (b >>> 33)) * 0xff51afd7ed558ccdL
    b = (b ^ (b >>> 33)) * 0xc4ceb9fe1a85ec53L
    b ^ (b >>> 33)
  }
}
