/** Cache of dictionaries with their keys as names: each key is looked up once per distinct dictionary. */
package shreddedvariant.infer

import java.util.Arrays

import shreddedvariant.binary.{Dictionary, Hash, SmallCache}

/** A dictionary with the name of each id; null if no tracked path had this name at the last lookup. */
private[infer] final class NamedDictionary(val dictionary: Dictionary, val hash: Int, table: NameTable) {
  val names: Array[Name] = new Array[Name](dictionary.size)

  private val fields = new Array[Array[Node]](NamedDictionary.MaxObjects)

  /** The fields of an object by id, null until looked up; empty for large dictionaries and for late objects. */
  def fieldsOf(node: Node): Array[Node] =
    if (node.number < NamedDictionary.MaxObjects && names.length <= NamedDictionary.MaxKeys) {
      if (fields(node.number) == null) fields(node.number) = new Array[Node](names.length)
      fields(node.number)
    } else NamedDictionary.noFields

  private[infer] def resolve(): Unit = {
    var id = 0
    while (id < names.length) {
      val from = dictionary.keyStart(id)
      val until = dictionary.keyEnd(id)
      names(id) =
        if (until - from > Name.MaxBytes) null
        else table.find(dictionary.bytes, from, until, Name.hash(dictionary.bytes, from, until))
      id += 1
    }
  }
}

private object NamedDictionary {

  // These limits keep the memory of all cached dictionaries small.
  private final val MaxObjects = 32
  private final val MaxKeys = 128
  private val noFields = new Array[Node](0)
}

private[infer] final class KnownNames(table: NameTable) {
  import KnownNames._

  private var slots = new Array[NamedDictionary](8)
  private val recent = new SmallCache[NamedDictionary](_.dictionary.bytes)
  private var size = 0
  private var bytes = 0L

  def of(metadata: Array[Byte]): NamedDictionary = {
    val cached = recent.find(metadata, metadata.length)
    if (cached != null) cached
    else {
      val named = find(metadata)
      recent.add(named)
      named
    }
  }

  private def find(metadata: Array[Byte]): NamedDictionary = {
    val hash = Hash.of(metadata, 0, metadata.length)
    val mask = slots.length - 1
    var slot = hash & mask
    var candidate = slots(slot)
    while (
      candidate != null && (candidate.hash != hash || !Arrays.equals(candidate.dictionary.bytes, metadata))
    ) {
      slot = (slot + 1) & mask
      candidate = slots(slot)
    }
    if (candidate != null) candidate else add(metadata, hash)
  }

  private def add(metadata: Array[Byte], hash: Int): NamedDictionary = {
    val named = new NamedDictionary(new Dictionary(metadata), hash, table)
    named.resolve()
    if (size >= MaxDictionaries || bytes + weight(named) > MaxBytes) {
      slots = new Array[NamedDictionary](slots.length)
      recent.clear()
      size = 0
      bytes = 0
    } else if (size * 2 >= slots.length) {
      val old = slots
      slots = new Array[NamedDictionary](old.length * 2)
      old.foreach(candidate => if (candidate != null) put(candidate))
    }
    put(named)
    size += 1
    bytes += weight(named)
    named
  }

  private def put(named: NamedDictionary): Unit = {
    val mask = slots.length - 1
    var slot = named.hash & mask
    while (slots(slot) != null) slot = (slot + 1) & mask
    slots(slot) = named
  }

  private def weight(named: NamedDictionary) = named.dictionary.bytes.length + 4L * named.names.length
}

private object KnownNames {
  private final val MaxDictionaries = 1024

  /** A single dictionary may be larger; it is then the only one in the cache. */
  private final val MaxBytes = 8L << 20
}
