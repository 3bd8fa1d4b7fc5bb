/** Dictionaries that were met before, with their keys as names: each key is looked up once per distinct dictionary. */
package shreddedvariant.infer

import java.util.Arrays

import org.apache.spark.unsafe.Platform
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

  private var slots = new Array[NamedDictionary](8)
  private var last: NamedDictionary = _
  private var size = 0
  private var bytes = 0L

  def of(metadata: Array[Byte]): NamedDictionary = {
    if (last == null || !Arrays.equals(last.dictionary.bytes, metadata)) last = find(metadata)
    last
  }

  private def find(metadata: Array[Byte]): NamedDictionary = {
    val hash = KnownNames.hash(metadata)
    val mask = slots.length - 1
    var slot = hash & mask
    var known = slots(slot)
    while (known != null && (known.hash != hash || !Arrays.equals(known.dictionary.bytes, metadata))) {
      slot = (slot + 1) & mask
      known = slots(slot)
    }
    if (known != null) known else add(metadata, hash)
  }

  private def add(metadata: Array[Byte], hash: Int): NamedDictionary = {
    val named = new NamedDictionary(new Dictionary(metadata), hash, table)
    named.resolve()
    if (size >= MaxKnown || bytes + weight(named) > MaxBytes) {
      slots = new Array[NamedDictionary](slots.length)
      size = 0
      bytes = 0
    } else if (size * 2 >= slots.length) {
      val old = slots
      slots = new Array[NamedDictionary](old.length * 2)
      old.foreach(known => if (known != null) put(known))
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
  private final val MaxKnown = 1024

  /** Eight bytes at a time: dictionaries are looked up for every row. */
  private def hash(bytes: Array[Byte]): Int = {
    var hash = bytes.length.toLong
    var i = 0
    while (i + 8 <= bytes.length) {
      hash = (hash ^ Platform.getLong(bytes, Platform.BYTE_ARRAY_OFFSET + i.toLong)) * 0x9e3779b97f4a7c15L
      hash ^= hash >>> 32
      i += 8
    }
    while (i < bytes.length) {
      hash = (hash ^ bytes(i)) * 0x9e3779b97f4a7c15L
      hash ^= hash >>> 32
      i += 1
    }
    hash.toInt
  }

  /** One dictionary may be larger: it is then the only one. */
  private final val MaxBytes = 8L << 20
}
