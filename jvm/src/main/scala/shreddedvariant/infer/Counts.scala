/**
 * Counts the values of one variant column by path and kind, as a tree.
 *
 * The state consists of sums, maxima, and a set that is cut by a rule on names alone ([[PathLimiter]]). So the
 * result does not depend on the order of rows or on how they are split and merged. Equal counts have equal
 * bytes.
 */
package shreddedvariant.infer

import com.google.common.math.LongMath
import shreddedvariant.binary.{ArrayHeader, Budget, Encoding, ObjectHeader, PathCounts}

final class Counts private (maxPaths: Int) extends NodeCounter {
  import Counts._

  def this() = this(PathLimiter.MaxPaths)

  private var names = new NameTable
  private var dictionaries = new KnownNames(names)
  private var current: NamedDictionary = _

  private[infer] var tree = new Node(null, PathOrder.Root)
  private var rowCount = 0L

  /** The place from which on paths are left out, and the number of paths, which may exceed `maxPaths`. */
  private var limit = PathLimiter.Unlimited
  private var paths = 1
  private var longNames = false

  /** The [[Node.number]] of the next object. */
  private var objects = 0

  /** The budget of the current variant. */
  private val budget = new Budget(0)

  /** The number of added rows, including NULL. */
  def rows: Long = rowCount

  /** The number of rows that are neither NULL nor the variant null; frequencies are relative to this number. */
  def values: Long = tree.total

  /** Whether paths were left out, because there are too many or their names are too long. */
  def isCut: Boolean = {
    settle()
    limit != PathLimiter.Unlimited || longNames
  }

  def addNull(): Unit = rowCount += 1

  def add(metadata: Array[Byte], value: Array[Byte]): Unit = {
    begin(metadata, value)
    root.count(value, 0)
  }

  /** Starts a variant whose values the caller counts through [[root]]. */
  def begin(metadata: Array[Byte], value: Array[Byte]): Unit = {
    rowCount += 1
    current = dictionaries.of(metadata)
    budget.reset(value.length)
  }

  /** Counts the values of the current variant. */
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

  /** The node of a field by the id of its key; null if the path is not tracked. */
  private def fieldOf(node: Node, id: Int): Node = {
    if (id >= current.names.length) Encoding.malformed(s"it names key $id of ${current.names.length}")
    val name = current.names(id)
    val field = if (name == null) null else node.field(name)
    if (field != null) field else newField(node, id)
  }

  /** The node of a field by its key; null if the path is not tracked. */
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

  /** Calls `named` with the name before a cut can replace the tables of names. */
  private def newField(node: Node, bytes: Array[Byte], from: Int, until: Int, named: Name => Unit): Node =
    if (until - from > Name.MaxBytes) { longNames = true; null }
    else {
      val hash = Name.hash(bytes, from, until)
      val place = PathOrder.ofField(
        node.place,
        Name.digits(bytes, from, until),
        until - from,
        Name.spread(bytes, from, until)
      )
      if (place >= limit) null
      else {
        // Another dictionary may have added the name after this dictionary was resolved.
        val name = names.intern(bytes, from, until, hash)
        named(name)
        val existing = node.field(name)
        if (existing != null) existing
        else {
          val field = node.addField(name)
          countPath()
          field
        }
      }
    }

  /** The node of an array's elements; null if the path is not tracked. */
  override private[infer] def elementOf(node: Node): Node =
    if (node.element != null) node.element
    else if (PathOrder.ofElement(node.place) >= limit) null
    else {
      val element = node.addElement()
      countPath()
      element
    }

  /** Counts a new node. The tree may exceed the maximum by a quarter, so that cuts are rare. */
  private def countPath(): Unit = {
    paths += 1
    if (paths > maxPaths + maxPaths / 4) cut()
  }

  private def cut(maxCount: Int = maxPaths): Unit = {
    limit = math.min(limit, PathLimiter.limit(tree, maxCount))
    paths = PathLimiter.restrict(tree, limit)
    // Drops the names that no path has, and the dictionaries that refer to them.
    names = new NameTable
    keepNames(tree)
    dictionaries = new KnownNames(names)
    if (current != null) current = dictionaries.of(current.dictionary.bytes)
  }

  private def keepNames(node: Node): Unit = {
    node.foreachField { field =>
      val name = field.name
      if (names.find(name.bytes, 0, name.bytes.length, name.hash) == null) names.add(name)
      keepNames(field)
    }
    if (node.element != null) keepNames(node.element)
  }

  /** Cuts the tree to the maximum number of paths. */
  private[infer] def settle(): Unit = if (paths > maxPaths) cut()

  def merge(other: Counts): Unit =
    if (other eq this) merge(fromBytes(toBytes))
    else {
      rowCount = LongMath.saturatedAdd(rowCount, other.rowCount)
      longNames |= other.longNames
      if (other.limit < limit) {
        limit = other.limit
        paths = PathLimiter.restrict(tree, limit)
      }
      merge(tree, other.tree)
      settle()
    }

  private def merge(target: Node, source: Node): Unit = {
    target.addCounts(source)
    source.foreachField { field =>
      if (field.place < limit) {
        val name = field.name
        val interned = names.intern(name.bytes, 0, name.bytes.length, name.hash)
        val existing = target.field(interned)
        merge(if (existing != null) existing else { paths += 1; target.addField(interned) }, field)
      }
    }
    if (source.element != null && source.element.place < limit) {
      if (target.element == null) { paths += 1; target.addElement() }
      merge(target.element, source.element)
    }
  }

  /** A compact form; equal counts have equal bytes. */
  def toBytes: Array[Byte] = {
    settle()
    CountsFormat.write(rowCount, limit, longNames, tree)
  }

  /**
   * These counts, or as many of their paths as fit into `maxBytes`. By the law of [[PathLimiter]] the remaining
   * counts are exact, also after a merge with counts that have another limit. The cut depends on the counts
   * alone, so the result does not depend on the order of rows.
   */
  def within(maxBytes: Int): Counts = {
    val bytes = toBytes
    if (bytes.length <= maxBytes) this
    else {
      val fewer = fromBytes(bytes)
      var size = bytes.length
      while (size > maxBytes && fewer.paths > 1) {
        // 90 % of the paths that would fit if all had the same size; the paths that are cut have longer names.
        fewer.cut(math.max(1, (fewer.paths * 0.9 * maxBytes / size).toInt))
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
    counts.rowCount = reader.rows
    counts.limit = reader.limit
    counts.longNames = reader.longNames
    counts.tree = reader.tree
    counts.paths = reader.paths
    counts
  }

  /** Counts with another maximum number of paths, for tests. */
  private[infer] def limitedTo(maxPaths: Int): Counts = new Counts(maxPaths)
}
