/**
 * The guard against values that hold a new name in every row: at most 100,000 paths of a column are tracked. Of more,
 * those are left out that come last in the order of [[PathOrder]], from a place on, the limit.
 *
 * The law that makes this exact, and the same in any order: the limit is a function of the set of all paths, and more
 * paths can only lower it. So a path that is left out once never comes back, and one that is kept in the end was kept
 * from its first value on: its counts miss nothing. Paths that share a place are left out together.
 */
package shreddedvariant.infer

private[infer] object PathLimiter {
  final val MaxPaths = 100000

  /** Values below are counted as objects and arrays; their fields and elements are not counted. */
  final val MaxDepth = 100
  final val Unlimited = Long.MaxValue

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
