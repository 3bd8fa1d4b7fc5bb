/** Counts at one path of the tree, whose node is looked up once. */
package shreddedvariant.infer

import shreddedvariant.binary.{Encoding, PathCounts}

/** The tree of counts, as the counters of its paths use it. */
private[infer] trait NodeCounter {

  /** The node of a field or of the elements below a node; null if the path is not tracked. */
  private[infer] def fieldOf(node: Node, key: Array[Byte]): Node
  private[infer] def elementOf(node: Node): Node

  private[infer] def count(node: Node, bytes: Array[Byte], at: Int, depth: Int): Unit
  private[infer] def countField(node: Node, id: Int, bytes: Array[Byte], at: Int, depth: Int): Unit
}

/**
 * `find` gives the node below its parent's, which is put into the tree with its first value; null if it is not tracked.
 *
 * Law ([[PathLimiter]]): a path that is left out never comes back. So a node is right for good: if it is cut from the tree, what
 * it goes on to count is left out, as it has to be.
 */
private[infer] final class CountedPath(counts: NodeCounter, depth: Int, find: () => Node) extends PathCounts {
  private var node: Node = _
  private var isFound = false

  private def here: Node = {
    if (!isFound) {
      node = find()
      isFound = true
    }
    node
  }

  private def below(find: Node => Node) = new CountedPath(
    counts,
    depth + 1,
    () => if (here == null || depth >= PathLimiter.MaxDepth) null else find(node)
  )

  override def field(key: Array[Byte]): PathCounts = below(counts.fieldOf(_, key))
  override def element: PathCounts = below(counts.elementOf)

  override def count(bytes: Array[Byte], at: Int): Unit =
    if (Encoding.byteAt(bytes, at) != Encoding.NullHeader && here != null)
      counts.count(node, bytes, at, depth)

  override def countObject(): Unit = if (here != null) node.count(Kind.Object)
  override def countArray(): Unit = if (here != null) node.count(Kind.Array)

  override def countOther(id: Int, bytes: Array[Byte], at: Int): Unit =
    if (here != null && depth < PathLimiter.MaxDepth) counts.countField(node, id, bytes, at, depth + 1)
}
