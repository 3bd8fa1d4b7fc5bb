/**
 * The guard against values that hold a new name in every row: at most 100,000 paths of a column are tracked.
 *
 * Every path has a place by its names alone: paths with few digits come first, then those near the root, then short
 * ones, then it is a matter of hashes. Names that people gave so come before the ids and dates that programs make up,
 * which is what fills objects without end; and a path comes before all that is below it. Where there are more paths than
 * the guard allows, those from a place on, the limit, are left out.
 *
 * The law that makes this exact, and the same in any order: the limit is a function of the set of all paths, and more
 * paths can only lower it. So a path that is left out once never comes back, and one that is kept in the end was kept
 * from its first value on: its counts miss nothing. Paths that share a place are left out together.
 */
package shreddedvariant.infer

private[infer] object PathLimiter {
  final val MaxPaths = 100000
  final val Unlimited = Long.MaxValue

  /** {{{ digits (7 bits) | depth (7) | bytes of all names (12) | hash (37) }}} Digits and bytes stay at their maximum. */
  final val Root = 0L

  def placeOfField(parent: Long, digits: Int, length: Int, hash: Long): Long =
    place(
      math.min((parent >>> 56) + digits, 0x7f),
      (parent >>> 49 & 0x7f) + 1,
      math.min((parent >>> 37 & 0xfff) + length, 0xfff),
      mix(parent ^ hash)
    )

  def placeOfElement(parent: Long): Long =
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

  /** The limit that leaves as many paths as are allowed, or some less; Unlimited if all may stay. */
  def limit(root: Node, maxPaths: Int): Long = {
    val places = new scala.collection.mutable.ArrayBuilder.ofLong
    def collect(node: Node): Unit = {
      places += node.place
      node.foreachField(collect)
      if (node.element != null) collect(node.element)
    }
    collect(root)
    val sorted = places.result()
    java.util.Arrays.sort(sorted)
    if (sorted.length <= maxPaths) Unlimited else sorted(maxPaths)
  }

  /** Leaves out what is at the limit or behind it, and gives how many paths are left. */
  def restrict(node: Node, limit: Long): Int = {
    node.dropFields(limit)
    if (node.element != null && node.element.place >= limit) node.element = null
    var left = 1
    node.foreachField(field => left += restrict(field, limit))
    if (node.element != null) left += restrict(node.element, limit)
    left
  }

  def paths(node: Node): Int = restrict(node, Unlimited)
}
