/** The names of a shape or of the cells of a file, each looked up once in the dictionary of a variant. */
package shreddedvariant.binary

import java.util.Arrays

/** The names that a shape or the cells of a file use; the number of a name is its index in `all`. */
final class Names(val all: IndexedSeq[String]) {
  private val bytes = all.map(_.getBytes("UTF-8")).toArray
  private val mask = Integer.highestOneBit(math.max(all.size, 1)) * 4 - 1
  private val slots = Array.fill(mask + 1)(-1)

  for (name <- bytes.indices) {
    var slot = hash(bytes(name), 0, bytes(name).length)
    while (slots(slot) >= 0) slot = (slot + 1) & mask
    slots(slot) = name
  }

  def size: Int = bytes.length
  def key(name: Int): Array[Byte] = bytes(name)

  /** The number of the name that equals the bytes from `from` until `until`; -1 if there is none. */
  def find(key: Array[Byte], from: Int, until: Int): Int = {
    var slot = hash(key, from, until)
    while (slots(slot) >= 0) {
      val name = bytes(slots(slot))
      if (Arrays.equals(name, 0, name.length, key, from, until)) return slots(slot)
      slot = (slot + 1) & mask
    }
    -1
  }

  private def hash(key: Array[Byte], from: Int, until: Int): Int = Hash.of(key, from, until - from) & mask
}

object Names {
  val none: Names = new Names(IndexedSeq.empty)
}

/**
 * A dictionary, with the names of a shape looked up in it. `objects` is the number of objects in the shape.
 * `grow` is called with the number of bytes by which the memory of this instance grows.
 */
final class ResolvedDictionary(
    val dictionary: Dictionary,
    names: Names,
    objects: Int,
    grow: (ResolvedDictionary, Long) => Unit = (_, _) => ()
) {
  private val fieldsOfObjects = new Array[ObjectFields](objects)

  /** The approximate number of bytes in memory, including the ranks of keys. */
  private[binary] var weight: Long =
    ResolvedDictionary.Weight + dictionary.bytes.length + 32L * dictionary.size + 4L * names.size + 8L * objects

  /** The fields last remembered for object `number` of the shape; null if there are none. */
  def fieldsOf(number: Int): ObjectFields = fieldsOfObjects(number)

  def remember(number: Int, fields: ObjectFields): Unit = {
    val previous = fieldsOfObjects(number)
    val growth = fields.weight - (if (previous == null) 0 else previous.weight)
    fieldsOfObjects(number) = fields
    weight += growth
    grow(this, growth)
  }

  /** The name of each id, or -1 for a key that is not a name; the id of each name, or -1 if it is not a key. */
  val (nameOfId: Array[Int], idOfName: Array[Int]) = {
    val nameOfId = new Array[Int](dictionary.size)
    val idOfName = Array.fill(names.size)(-1)
    var id = 0
    if (names.size == 0) Arrays.fill(nameOfId, -1)
    else while (id < dictionary.size) {
      val name = names.find(dictionary.bytes, dictionary.keyStart(id), dictionary.keyEnd(id))
      nameOfId(id) = name
      if (name >= 0 && idOfName(name) < 0) idOfName(name) = id
      id += 1
    }
    (nameOfId, idOfName)
  }
}

private object ResolvedDictionary {

  /** The approximate number of bytes of a resolved dictionary without its arrays. */
  private val Weight = 300
}

/**
 * Cache of resolved dictionaries: the last few are found without hashing, the others by a hash of their bytes.
 * The cache takes at most [[Dictionaries.MaxBytes]], unless a single dictionary is larger.
 */
final class Dictionaries(names: Names, objects: Int = 0) {
  private var weight = 0L
  private val recent = new SmallCache[ResolvedDictionary](_.dictionary.bytes)
  private val byBytes = new java.util.HashMap[Dictionaries.Key, ResolvedDictionary]

  def resolve(metadata: Array[Byte]): ResolvedDictionary = resolve(metadata, metadata.length)

  /** The dictionary in the first `length` bytes of `bytes`. */
  def resolve(bytes: Array[Byte], length: Int): ResolvedDictionary = {
    val cached = recent.find(bytes, length)
    if (cached != null) cached
    else {
      val metadata = if (length == bytes.length) bytes else Arrays.copyOf(bytes, length)
      val key = new Dictionaries.Key(metadata)
      var resolved = byBytes.get(key)
      if (resolved == null) {
        resolved = new ResolvedDictionary(new Dictionary(metadata), names, objects, grow)
        byBytes.put(key, resolved)
        grow(resolved, resolved.weight)
      }
      recent.add(resolved)
      resolved
    }
  }

  /**
   * Above the limit, keeps only the dictionary that grew, even if it is too large: the next row may have it.
   */
  private def grow(dictionary: ResolvedDictionary, growth: Long): Unit = {
    weight += growth
    if (weight > Dictionaries.MaxBytes) {
      byBytes.clear()
      recent.clear()
      byBytes.put(new Dictionaries.Key(dictionary.dictionary.bytes), dictionary)
      recent.add(dictionary)
      weight = dictionary.weight
    }
  }
}

object Dictionaries {
  private val MaxBytes = 4L << 20

  private final class Key(bytes: Array[Byte]) {
    override val hashCode: Int = Hash.of(bytes, 0, bytes.length)
    private def contents = bytes
    override def equals(other: Any): Boolean = other match {
      case key: Key => Arrays.equals(bytes, key.contents)
      case _ => false
    }
  }
}
