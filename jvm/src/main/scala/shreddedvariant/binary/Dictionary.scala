/**
 * The dictionary in a variant's metadata, and the names of a shape looked up in it once per distinct dictionary.
 *
 * {{{
 *   version and offset width (1) | size | offsets (size + 1) | the keys' UTF-8 bytes
 * }}}
 */
package shreddedvariant.binary

import java.util.Arrays

/**
 * Law: the offsets of all keys are checked here, when the dictionary is opened. They never fall, and the last one is not
 * behind the bytes. So the bytes of each key are in the array, and nothing checks them again.
 */
final class Dictionary(val bytes: Array[Byte]) {
  private val width = Dictionary.widthOf(bytes)
  val size: Int = Encoding.unsigned(bytes, 1, width)
  private val offsets = 1 + width
  private val keys: Int = Positions.of(bytes, offsets, (size + 1L) * width)

  {
    var last = 0
    var id = 0
    while (id <= size) {
      val offset = offsetOf(id)
      if (offset < last) Encoding.malformed("a key of its metadata is out of bounds")
      last = offset
      id += 1
    }
    if (last > bytes.length - keys) Encoding.malformed("a key of its metadata is out of bounds")
  }

  private def offsetOf(id: Int) = Encoding.unchecked(bytes, offsets + id * width, width)

  def keyStart(id: Int): Int = keys + offsetOf(id)
  def keyEnd(id: Int): Int = keys + offsetOf(id + 1)

  /**
   * The metadata that Spark gets. It lacks the flag for sorted and unique keys where the keys are not: a reader that trusts
   * the flag searches by bisection and misses keys.
   */
  val handedOn: Array[Byte] =
    if (!Dictionary.saysSorted(bytes) || (1 until size).forall(id => compare(id - 1, id) < 0)) bytes
    else {
      val without = bytes.clone
      without(0) = (without(0) & ~Dictionary.Sorted).toByte
      without
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

  /** The place of each key in the order in which Spark searches; equal keys share one. */
  lazy val ranksInSpark: Array[Int] = {
    val keys = Array.tabulate(size)(key)
    val ids = Array.range(0, size).sortBy(keys(_))
    val ranks = new Array[Int](size)
    for (i <- 1 until size)
      ranks(ids(i)) = ranks(ids(i - 1)) + (if (keys(ids(i)) == keys(ids(i - 1))) 0 else 1)
    ranks
  }

  def isKey(id: Int, key: Array[Byte]): Boolean = {
    val start = keyStart(id)
    keyEnd(id) - start == key.length && Texts.areEqual(bytes, start, key, 0, key.length)
  }

  /**
   * Where the value of a key stands; -1 where the object does not have the key.
   *
   * Law: objects are in the order of UTF-8, or of UTF-16 as Spark writes them. A large object is searched by bisection only
   * where no two keys of its dictionary have another order in the one than in the other; elsewhere all keys are compared.
   */
  def find(fields: ObjectHeader, key: Array[Byte]): Int =
    if (fields.size < ObjectHeader.Large || ordersMayDiffer) {
      var i = 0
      while (i < fields.size && !isKey(checkId(fields.id(i)), key)) i += 1
      if (i < fields.size) fields.position(i) else -1
    } else {
      var (low, high) = (0, fields.size - 1)
      while (low <= high) {
        val middle = (low + high) >>> 1
        val order = compare(checkId(fields.id(middle)), key)
        if (order == 0) return fields.position(middle)
        if (order < 0) low = middle + 1 else high = middle - 1
      }
      -1
    }

  def compare(id: Int, key: Array[Byte]): Int =
    Arrays.compareUnsigned(bytes, keyStart(id), keyEnd(id), key, 0, key.length)

  private def compare(a: Int, b: Int): Int =
    Arrays.compareUnsigned(bytes, keyStart(a), keyEnd(a), bytes, keyStart(b), keyEnd(b))

  /** How many keys are less than this one, equal ones counted once: the rank that it has, or would have. */
  def rankOf(key: Array[Byte]): Int = {
    var (from, until) = (0, size)
    while (from < until) {
      val middle = (from + until) >>> 1
      val id = ordered(middle)
      if (compare(id, key) < 0) from = middle + 1
      else until = middle
    }
    if (from == 0) 0 else ranks(ordered(from - 1)) + 1
  }

  /**
   * Whether Spark may have ordered an object by this dictionary unlike the specification: UTF-16 and UTF-8 order
   * differ only where a key beyond the basic plane meets one from U+E000 on, so keys without a four-byte character
   * (first byte 0xF0 or more) are ordered alike.
   */
  lazy val ordersMayDiffer: Boolean = Dictionary.hasLongCharacters(bytes, keys)
}

object Dictionary {

  /** The metadata of a variant that has no keys. */
  val noKeys: Array[Byte] = Array(1, 0, 0)

  /** The flag of keys that are sorted and unique. */
  private final val Sorted = 0x10

  /** Null is the metadata that a reader left out, as no value asks for its keys. */
  def saysSorted(metadata: Array[Byte]): Boolean =
    metadata != null && metadata.length > 0 && (metadata(0) & Sorted) != 0

  /** How many bytes of an array are the metadata that it begins with: a stored value of the draft follows them. */
  def lengthIn(bytes: Array[Byte]): Int = {
    val width = widthOf(bytes)
    val last = 1 + width * (1L + Encoding.unsigned(bytes, 1, width))
    val end = last + width + Encoding.unsigned(bytes, Positions.of(bytes, 0, last), width)
    Positions.of(bytes, 0, end)
  }

  /** Whether keys of the metadata may have characters of four bytes; of malformed metadata it says nothing. */
  def mayHoldLongCharacters(metadata: Array[Byte]): Boolean = {
    val width = ((metadata(0) & 0xff) >> 6) + 1
    val keys =
      if (metadata.length <= width) metadata.length
      else 1 + width + (Encoding.unsigned(metadata, 1, width) + 1L) * width
    keys < metadata.length && hasLongCharacters(metadata, keys.toInt)
  }

  /** Whether a byte from `from` on begins a character of four bytes. */
  private def hasLongCharacters(bytes: Array[Byte], from: Int): Boolean = {
    var i = from
    // Of eight bytes at once, those whose upper four bits are set.
    while (
      i + 8 <= bytes.length && {
        val word = LittleEndian.long(bytes, i)
        (word & word << 1 & word << 2 & word << 3 & 0x8080808080808080L) == 0
      }
    ) i += 8
    while (i < bytes.length && (bytes(i) & 0xff) < 0xf0) i += 1
    i < bytes.length
  }

  private def widthOf(bytes: Array[Byte]): Int = {
    if ((Encoding.byteAt(bytes, 0) & 0xf) != 1) Encoding.malformed("its metadata is not of version 1")
    ((bytes(0) & 0xff) >> 6) + 1
  }
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

object Names {
  val none: Names = new Names(IndexedSeq.empty)
}

/** A dictionary with the names of a shape looked up in it. `objects` is how many objects the shape has; `grow` gets the bytes that it takes later. */
final class ResolvedDictionary(
    val dictionary: Dictionary,
    names: Names,
    objects: Int,
    grow: (ResolvedDictionary, Long) => Unit = (_, _) => ()
) {
  private val fieldsOfObjects = new Array[ObjectFields](objects)

  /** About how many bytes it takes in memory, ranks of keys included. */
  private[binary] var weight: Long =
    ResolvedDictionary.Weight + dictionary.bytes.length + 32L * dictionary.size + 4L * names.size + 8L * objects

  /** The fields that an object of the shape was met with last; null where it was not met. */
  def fieldsOf(number: Int): ObjectFields = fieldsOfObjects(number)

  def remember(number: Int, fields: ObjectFields): Unit = {
    val before = fieldsOfObjects(number)
    val more = fields.weight - (if (before == null) 0 else before.weight)
    fieldsOfObjects(number) = fields
    weight += more
    grow(this, more)
  }

  /** The name of each id, -1 for keys that are no names; and the id of each name, -1 for names that are no keys. */
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

  /** Of the objects that each has. */
  private val Weight = 300
}

/**
 * Dictionaries that were met before: the last ones without hashing, some more by their bytes. All together take no more than
 * [[Dictionaries.MaxBytes]], unless one alone does.
 */
final class Dictionaries(names: Names, objects: Int = 0) {
  private var weight = 0L
  private val recent = new SmallCache[ResolvedDictionary](_.dictionary.bytes)
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
        found = new ResolvedDictionary(new Dictionary(metadata), names, objects, grow)
        known.put(key, found)
        grow(found, found.weight)
      }
      recent.add(found)
      found
    }
  }

  /** The one that grows stays, also where it takes too much alone: the next row mostly has it as well. */
  private def grow(dictionary: ResolvedDictionary, more: Long): Unit = {
    weight += more
    if (weight > Dictionaries.MaxBytes) {
      known.clear()
      recent.clear()
      known.put(new Dictionaries.Key(dictionary.dictionary.bytes), dictionary)
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
