/** Counts the values at one path of the tree, whose node is looked up once. */
package shreddedvariant.infer

import shreddedvariant.binary.{Encoding, PathCounts}

/** The operations on the tree of counts that [[CountedPath]] needs. */
private[infer] trait NodeCounter {

  /** The node of a field or of the elements of a node; null if the path is not tracked. */
  private[infer] def fieldOf(node: Node, key: Array[Byte]): Node
  private[infer] def elementOf(node: Node): Node

  private[infer] def count(node: Node, bytes: Array[Byte], at: Int, depth: Int): Unit
  private[infer] def countField(node: Node, id: Int, bytes: Array[Byte], at: Int, depth: Int): Unit
}

/**
 * `find` returns the node of the path and adds the node to the tree, or returns null if the path is not
 * tracked. `find` is called at the first value.
 *
 * Law ([[PathLimiter]]): a path that is left out never comes back. So the node stays right: if it is cut from
 * the tree, its later counts are left out, as required.
 */
private[infer] final class CountedPath(counts: NodeCounter, depth: Int, find: () => Node) extends PathCounts {
  private var node: Node = _
  private var isLookedUp = false

  private def trackedNode: Node = {
    if (!isLookedUp) {
      node = find()
      isLookedUp = true
    }
    node
  }

  private def child(find: Node => Node) = new CountedPath(
    counts,
    depth + 1,
    () => if (trackedNode == null || depth >= PathLimiter.MaxDepth) null else find(node)
  )

  override def field(key: Array[Byte]): PathCounts = child(counts.fieldOf(_, key))
  override def element: PathCounts = child(counts.elementOf)

  override def count(bytes: Array[Byte], at: Int): Unit =
    if (Encoding.byteAt(bytes, at) != Encoding.NullHeader && trackedNode != null)
      counts.count(node, bytes, at, depth)

  override def countObject(): Unit = if (trackedNode != null) node.count(Kind.Object)
  override def countArray(): Unit = if (trackedNode != null) node.count(Kind.Array)

  override def countOther(id: Int, bytes: Array[Byte], at: Int): Unit =
    if (trackedNode != null && depth < PathLimiter.MaxDepth) counts.countField(node, id, bytes, at, depth + 1)
}
