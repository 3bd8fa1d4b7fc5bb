/**
 * Limits the tracked paths of a column to 100,000, because values may have new names in every row. If there are
 * more paths, all paths from a certain place in [[PathOrder]] on, the limit, are left out.
 *
 * Law: the limit is a function of the set of all paths, and more paths can only lower the limit. So a path that
 * is left out never comes back, and a path that is kept in the end was kept from its first value on: its counts
 * are exact, and they do not depend on the order of the values. Paths with the same place are left out
 * together.
 */
package shreddedvariant.infer

private[infer] object PathLimiter {
  final val MaxPaths = 100000

  /** Objects and arrays at this depth are counted without the values inside them. */
  final val MaxDepth = 100
  final val Unlimited = Long.MaxValue

  /** The limit that keeps at most `maxPaths` paths; Unlimited if all paths are kept. */
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

  /** Drops the paths whose place is `limit` or later, and returns the number of remaining paths. */
  def restrict(node: Node, limit: Long): Int = {
    node.dropFields(limit)
    if (node.element != null && node.element.place >= limit) node.element = null
    var remaining = 1
    node.foreachField(field => remaining += restrict(field, limit))
    if (node.element != null) remaining += restrict(node.element, limit)
    remaining
  }

  def paths(node: Node): Int = restrict(node, Unlimited)
}
