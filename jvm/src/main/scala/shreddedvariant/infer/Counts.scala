/**
 * What the values of one variant column are made of: a tree of counts by path.
 *
 * Everything in it is a sum, a maximum, or a set that is cut by a rule on names alone ([[PathLimiter]]). So neither the order
 * of rows nor the way in which they are split and merged shows in it, and equal counts have equal bytes.
 */
package shreddedvariant.infer

import shreddedvariant.binary.{ArrayHeader, Budget, Encoding, ObjectHeader, PathCounts}

final class Counts private (maxPaths: Int) extends NodeCounter {
  import Counts._

  def this() = this(PathLimiter.MaxPaths)

  private var names = new NameTable
  private var known = new KnownNames(names)
  private var current: NamedDictionary = _

  private[infer] var tree = new Node(null, PathOrder.Root)
  private var all = 0L

  /** The guard's limit; and how many paths are in the tree, which may be some more than the guard allows. */
  private var limit = PathLimiter.Unlimited
  private var paths = 1
  private var longNames = false

  /** The [[Node.number]] of the next object. */
  private var objects = 0

  /** Of the variant at hand. */
  private val budget = new Budget(0)

  /** Rows that were added, with those that are NULL. */
  def rows: Long = all

  /** Rows that hold a value other than NULL and the variant null: what frequencies are measured by. */
  def values: Long = tree.total

  /** Whether paths were left out, because there are too many or their names are too long. */
  def isCut: Boolean = {
    settle()
    limit != PathLimiter.Unlimited || longNames
  }

  def addNull(): Unit = all += 1

  def add(metadata: Array[Byte], value: Array[Byte]): Unit = {
    begin(metadata, value)
    root.count(value, 0)
  }

  /** Adds a variant whose values are told to [[root]] by somebody else. */
  def begin(metadata: Array[Byte], value: Array[Byte]): Unit = {
    all += 1
    current = known.of(metadata)
    budget.reset(value.length)
  }

  /** Where the values of the variant that has begun are counted. */
  val root: PathCounts = new CountedPath(this, depth = 0, () => tree)

  override private[infer] def count(node: Node, bytes: Array[Byte], at: Int, depth: Int): Unit = {
    val header = Encoding.byteAt(bytes, at)
    header & 3 match {
      case Encoding.ShortString => node.count(Kind.Str)
      case Encoding.Primitive => Scalars.count(node, (header & 0xff) >> 2, bytes, at)
      case Encoding.Object =>
        node.count(Kind.Object)
        if (depth < MaxDepth) countFields(node, bytes, at, depth + 1)
      case _ =>
        node.count(Kind.Array)
        if (depth < MaxDepth) countElements(node, bytes, at, depth + 1)
    }
  }

  private def countFields(node: Node, bytes: Array[Byte], at: Int, depth: Int): Unit = {
    val header = new ObjectHeader(bytes, at)
    budget.take(header.length)
    val fields = fieldsOf(node)
    var i = 0
    while (i < header.size) {
      countField(node, fields, header.id(i), bytes, header.position(i), depth)
      i += 1
    }
  }

  override private[infer] def countField(node: Node, id: Int, bytes: Array[Byte], at: Int, depth: Int): Unit =
    countField(node, fieldsOf(node), id, bytes, at, depth)

  private def countField(
      node: Node,
      fields: Array[Node],
      id: Int,
      bytes: Array[Byte],
      at: Int,
      depth: Int
  ): Unit =
    if (Encoding.byteAt(bytes, at) != Encoding.NullHeader) {
      var field = if (id < fields.length) fields(id) else null
      if (field == null) {
        field = fieldOf(node, id)
        if (id < fields.length) fields(id) = field
      }
      if (field != null) count(field, bytes, at, depth)
    }

  private def fieldsOf(node: Node): Array[Node] = {
    if (node.number == Int.MaxValue) {
      node.number = objects
      objects += 1
    }
    current.fieldsOf(node)
  }

  private def countElements(node: Node, bytes: Array[Byte], at: Int, depth: Int): Unit = {
    val header = new ArrayHeader(bytes, at)
    budget.take(header.length)
    var i = 0
    while (i < header.size) {
      val position = header.position(i)
      if (Encoding.byteAt(bytes, position) != Encoding.NullHeader) {
        val element = elementOf(node)
        if (element != null) count(element, bytes, position, depth)
      }
      i += 1
    }
  }

  /** The node of a field; null if it is not tracked. */
  private def fieldOf(node: Node, id: Int): Node = {
    if (id >= current.names.length) Encoding.malformed(s"it names key $id of ${current.names.length}")
    val name = current.names(id)
    val field = if (name == null) null else node.field(name)
    if (field != null) field else newField(node, id)
  }

  /** The same by its key. */
  override private[infer] def fieldOf(node: Node, key: Array[Byte]): Node = {
    val name = names.find(key, 0, key.length, Name.hash(key, 0, key.length))
    val field = if (name == null) null else node.field(name)
    if (field != null) field else newField(node, key, 0, key.length, _ => ())
  }

  private def newField(node: Node, id: Int): Node = {
    val dictionary = current.dictionary
    newField(
      node,
      dictionary.bytes,
      dictionary.keyStart(id),
      dictionary.keyEnd(id),
      name => current.names(id) = name
    )
  }

  /** `named` is told the name, before others are forgotten. */
  private def newField(node: Node, bytes: Array[Byte], from: Int, until: Int, named: Name => Unit): Node =
    if (until - from > Name.MaxBytes) { longNames = true; null }
    else {
      val hash = Name.hash(bytes, from, until)
      val place = PathOrder.ofField(
        node.place,
        Name.digits(bytes, from, until),
        until - from,
        Name.spread(bytes, from, until, hash)
      )
      if (place >= limit) null
      else {
        // Another dictionary may have brought the name since this one was resolved.
        val name = names.intern(bytes, from, until, hash)
        named(name)
        val known = node.field(name)
        if (known != null) known
        else {
          val field = node.addField(name)
          tracked()
          field
        }
      }
    }

  /** The node of an array's elements; null if it is not tracked. */
  override private[infer] def elementOf(node: Node): Node =
    if (node.element != null) node.element
    else if (PathOrder.ofElement(node.place) >= limit) null
    else {
      val element = node.addElement()
      tracked()
      element
    }

  /** After a node was put into the tree; some may wait for the next cut, so that not every new one makes all be looked at. */
  private def tracked(): Unit = {
    paths += 1
    if (paths > maxPaths + maxPaths / 4) cut()
  }

  private def cut(most: Int = maxPaths): Unit = {
    limit = math.min(limit, PathLimiter.limit(tree, most))
    paths = PathLimiter.restrict(tree, limit)
    // Names that no path has any more go; dictionaries that point to them go with them.
    names = new NameTable
    keepNames(tree)
    known = new KnownNames(names)
    if (current != null) current = known.of(current.dictionary.bytes)
  }

  private def keepNames(node: Node): Unit = {
    node.foreachField { field =>
      val name = field.name
      if (names.find(name.bytes, 0, name.bytes.length, name.hash) == null) names.add(name)
      keepNames(field)
    }
    if (node.element != null) keepNames(node.element)
  }

  /** Brings the tree to what the guard allows. */
  private[infer] def settle(): Unit = if (paths > maxPaths) cut()

  def merge(other: Counts): Unit =
    if (other eq this) merge(fromBytes(toBytes))
    else {
      all = Node.plus(all, other.all)
      longNames |= other.longNames
      if (other.limit < limit) {
        limit = other.limit
        paths = PathLimiter.restrict(tree, limit)
      }
      merge(tree, other.tree)
      settle()
    }

  private def merge(to: Node, from: Node): Unit = {
    to.addCounts(from)
    from.foreachField { field =>
      if (field.place < limit) {
        val name = field.name
        val own = names.intern(name.bytes, 0, name.bytes.length, name.hash)
        val known = to.field(own)
        merge(if (known != null) known else { paths += 1; to.addField(own) }, field)
      }
    }
    if (from.element != null && from.element.place < limit) {
      if (to.element == null) { paths += 1; to.addElement() }
      merge(to.element, from.element)
    }
  }

  /** A compact form that is the same for equal counts. */
  def toBytes: Array[Byte] = {
    settle()
    CountsFormat.write(all, limit, longNames, tree)
  }

  /**
   * The same counts, or as many of their paths as fit into so many bytes. By the law of [[PathLimiter]] what stays is exact, also
   * after a merge with counts that others have cut elsewhere. How far to cut follows from the counts alone, so the order
   * of rows does not show.
   */
  def within(mostBytes: Int): Counts = {
    val bytes = toBytes
    if (bytes.length <= mostBytes) this
    else {
      val fewer = fromBytes(bytes)
      var size = bytes.length
      while (size > mostBytes && fewer.paths > 1) {
        // Nine tenths of what would do if all paths were alike: those that go first have the longer names.
        fewer.cut(math.max(1, (fewer.paths * 0.9 * mostBytes / size).toInt))
        size = fewer.toBytes.length
      }
      fewer
    }
  }
}

object Counts {

  final val MaxDepth = PathLimiter.MaxDepth

  def fromBytes(bytes: Array[Byte]): Counts = {
    val counts = new Counts
    val reader = new CountsReader(bytes, counts.names)
    counts.all = reader.rows
    counts.limit = reader.limit
    counts.longNames = reader.longNames
    counts.tree = reader.tree
    counts.paths = reader.paths
    counts
  }

  /** Counts with a guard of their own, for tests. */
  private[infer] def limitedTo(maxPaths: Int): Counts = new Counts(maxPaths)
}
