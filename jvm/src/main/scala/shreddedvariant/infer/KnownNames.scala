/** Dictionaries that were met before, with their keys as names: each key is looked up once per distinct dictionary. */
package shreddedvariant.infer

import java.util.Arrays

import shreddedvariant.binary.Dictionary

/** A dictionary and the name of each id; null where no tracked path has that name, as far as is known. */
private[infer] final class NamedDictionary(val dictionary: Dictionary, val hash: Int, table: NameTable) {
  val names: Array[Name] = new Array[Name](dictionary.size)

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

private[infer] final class KnownNames(table: NameTable) {
  import KnownNames._

  private val slots = new Array[NamedDictionary](Slots)
  private var last: NamedDictionary = _
  private var size = 0
  private var bytes = 0L

  def of(metadata: Array[Byte]): NamedDictionary = {
    if (last == null || !Arrays.equals(last.dictionary.bytes, metadata)) last = find(metadata)
    last
  }

  private def find(metadata: Array[Byte]): NamedDictionary = {
    val hash = Name.hash(metadata, 0, metadata.length)
    var slot = hash & (Slots - 1)
    var known = slots(slot)
    while (known != null && (known.hash != hash || !Arrays.equals(known.dictionary.bytes, metadata))) {
      slot = (slot + 1) & (Slots - 1)
      known = slots(slot)
    }
    if (known != null) known else add(metadata, hash)
  }

  private def add(metadata: Array[Byte], hash: Int): NamedDictionary = {
    val named = new NamedDictionary(new Dictionary(metadata), hash, table)
    named.resolve()
    if (size >= MaxKnown || bytes + weight(named) > MaxBytes) clear()
    var slot = hash & (Slots - 1)
    while (slots(slot) != null) slot = (slot + 1) & (Slots - 1)
    slots(slot) = named
    size += 1
    bytes += weight(named)
    named
  }

  private def clear(): Unit = {
    Arrays.fill(slots.asInstanceOf[Array[AnyRef]], null)
    size = 0
    bytes = 0
  }

  private def weight(named: NamedDictionary) = named.dictionary.bytes.length + 4L * named.names.length
}

private object KnownNames {
  private final val Slots = 2048
  private final val MaxKnown = 1024

  /** One dictionary may be larger: it is then the only one. */
  private final val MaxBytes = 8L << 20
}
