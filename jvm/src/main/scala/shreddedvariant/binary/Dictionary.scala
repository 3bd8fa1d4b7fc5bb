/**
 * The dictionary in a variant's metadata, and the names of a shape looked up in it once per distinct dictionary.
 *
 * {{{
 *   version and offset width (1) | size | offsets (size + 1) | the keys' UTF-8 bytes
 * }}}
 */
package shreddedvariant.binary

import java.util.Arrays

final class Dictionary(val bytes: Array[Byte]) {
  private val width = {
    if ((Encoding.byteAt(bytes, 0) & 0xf) != 1) Encoding.malformed("its metadata is not of version 1")
    ((bytes(0) & 0xff) >> 6) + 1
  }
  val size: Int = Encoding.unsigned(bytes, 1, width)
  private val offsets = 1 + width
  private val keys: Int = {
    val start = offsets + (size + 1L) * width
    if (start > bytes.length) Encoding.malformed("its metadata ends too early")
    start.toInt
  }

  /** The bytes of the metadata; a draft's stored value begins behind them. */
  def length: Int = {
    val end = keys.toLong + Encoding.unsigned(bytes, offsets + size * width, width)
    if (end > bytes.length) Encoding.malformed("its metadata ends too early")
    end.toInt
  }

  def keyStart(id: Int): Int = keys + Encoding.unsigned(bytes, offsets + id * width, width)
  def keyEnd(id: Int): Int = {
    val end = keys.toLong + Encoding.unsigned(bytes, offsets + (id + 1) * width, width)
    if (end > bytes.length || end < keyStart(id)) Encoding.malformed("a key of its metadata is out of bounds")
    end.toInt
  }

  def checkId(id: Int): Int = {
    if (id >= size) Encoding.malformed(s"it names key $id of $size")
    id
  }

  def key(id: Int): String = new String(bytes, keyStart(checkId(id)), keyEnd(id) - keyStart(id), "UTF-8")

  /** The ids in the order of their keys' unsigned UTF-8 bytes. */
  private lazy val ordered: Array[Integer] = {
    val ids = Array.tabulate(size)(Integer.valueOf)
    Arrays.sort(ids, (a: Integer, b: Integer) => compare(a, b))
    ids
  }

  /** The place of each key in that order; equal keys share one. */
  lazy val ranks: Array[Int] = {
    val ranks = new Array[Int](size)
    var rank = 0
    for (i <- ordered.indices) {
      if (i > 0 && compare(ordered(i - 1), ordered(i)) != 0) rank += 1
      ranks(ordered(i)) = rank
    }
    ranks
  }

  private def compare(a: Int, b: Int) =
    Arrays.compareUnsigned(bytes, keyStart(a), keyEnd(a), bytes, keyStart(b), keyEnd(b))

  /** How many keys are less than this one, equal ones counted once: the rank that it has, or would have. */
  def rankOf(key: Array[Byte]): Int = {
    var (from, until) = (0, size)
    while (from < until) {
      val middle = (from + until) >>> 1
      val id = ordered(middle)
      if (Arrays.compareUnsigned(bytes, keyStart(id), keyEnd(id), key, 0, key.length) < 0) from = middle + 1
      else until = middle
    }
    if (from == 0) 0 else ranks(ordered(from - 1)) + 1
  }

  /**
   * Whether Spark may have ordered an object by this dictionary unlike the specification: UTF-16 and UTF-8 order
   * differ only where a key beyond the basic plane meets one from U+E000 on, so keys without a four-byte character
   * (first byte 0xF0 or more) are ordered alike.
   */
  lazy val ordersMayDiffer: Boolean = {
    var i = keys
    while (i < bytes.length && (bytes(i) & 0xff) < 0xf0) i += 1
    i < bytes.length
  }
}

object Dictionary {

  /** The metadata of a variant that has no keys. */
  val noKeys: Array[Byte] = Array(1, 0, 0)
}

/** The names that a shape or a file's cells use, each with a number. */
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

  /** The number of the name with these bytes, or -1. */
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

/** A dictionary met with the names of a shape that has so many objects. */
final class ResolvedDictionary(val dictionary: Dictionary, names: Names, objects: Int) {

  /** The fields that each object of the shape was met with last. */
  val fieldsOfObjects = new Array[ObjectFields](objects)

  /** The name of each id, -1 for keys that are no names; and the id of each name, -1 for names that are no keys. */
  val (nameOfId: Array[Int], idOfName: Array[Int]) = {
    val nameOfId = new Array[Int](dictionary.size)
    val idOfName = Array.fill(names.size)(-1)
    var id = 0
    while (id < dictionary.size) {
      val name = names.find(dictionary.bytes, dictionary.keyStart(id), dictionary.keyEnd(id))
      nameOfId(id) = name
      if (name >= 0 && idOfName(name) < 0) idOfName(name) = id
      id += 1
    }
    (nameOfId, idOfName)
  }
}

/** Dictionaries that were met before: the last ones without hashing, some more by their bytes. */
final class Dictionaries(names: Names, objects: Int = 0) {
  private val recent = new Recent[ResolvedDictionary](_.dictionary.bytes)
  private val known = new java.util.HashMap[Dictionaries.Key, ResolvedDictionary]

  def resolve(metadata: Array[Byte]): ResolvedDictionary = resolve(metadata, metadata.length)

  /** The dictionary in the first bytes of an array. */
  def resolve(bytes: Array[Byte], length: Int): ResolvedDictionary = {
    val met = recent.find(bytes, length)
    if (met != null) met
    else {
      val metadata = if (length == bytes.length) bytes else Arrays.copyOf(bytes, length)
      val key = new Dictionaries.Key(metadata)
      var found = known.get(key)
      if (found == null) {
        if (known.size >= Dictionaries.MaxKnown) known.clear()
        found = new ResolvedDictionary(new Dictionary(metadata), names, objects)
        known.put(key, found)
      }
      recent.add(found)
      found
    }
  }
}

object Dictionaries {
  private val MaxKnown = 1024

  private final class Key(bytes: Array[Byte]) {
    override val hashCode: Int = Hash.of(bytes, 0, bytes.length)
    private def contents = bytes
    override def equals(other: Any): Boolean = other match {
      case key: Key => Arrays.equals(bytes, key.contents)
      case _ => false
    }
  }
}
