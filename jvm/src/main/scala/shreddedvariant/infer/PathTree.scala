/** The paths that a user named, as a tree that inference walks together with the counts. */
package shreddedvariant.infer

import shreddedvariant.layout.{PathStep, Shape}

/** `isNamed`: one of the paths ends at this node. */
private[infer] final case class PathTree(
    isNamed: Boolean,
    fields: Map[String, PathTree],
    element: Option[PathTree]
) {
  def isEmpty: Boolean = !isNamed && fields.isEmpty && element.isEmpty
  def field(name: String): PathTree = fields.getOrElse(name, PathTree.empty)
  def ofElement: PathTree = element.getOrElse(PathTree.empty)

  def sortedFields: Seq[String] =
    fields.keys.toSeq.sortWith((a, b) => Shape.compareKeys(Shape.utf8(a), Shape.utf8(b)) < 0)

  /** The tree without the paths that are excluded or below an excluded path. */
  def without(exclude: PathTree): PathTree =
    if (exclude.isNamed) PathTree.empty
    else
      PathTree(
        isNamed,
        fields.map { case (name, tree) => name -> tree.without(exclude.field(name)) }.filterNot(_._2.isEmpty),
        element.map(_.without(exclude.ofElement)).filterNot(_.isEmpty)
      )

  private def add(steps: List[PathStep]): PathTree = steps match {
    case Nil => copy(isNamed = true)
    case PathStep.Key(name) :: rest => copy(fields = fields.updated(name, field(name).add(rest)))
    case PathStep.Index(_) :: rest => copy(element = Some(ofElement.add(rest)))
  }
}

private[infer] object PathTree {
  val empty: PathTree = PathTree(isNamed = false, Map.empty, None)

  def of(paths: Seq[Seq[PathStep]]): PathTree = paths.foldLeft(empty)((tree, path) => tree.add(path.toList))
}
