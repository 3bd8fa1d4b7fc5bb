/**
 * The dictionary in a variant's metadata.
 *
 * {{{
 *   version and offset width (1) | size | offsets (size + 1) | the keys' UTF-8 bytes
 * }}}
 */
package shreddedvariant.binary

import java.util.Arrays

/**
 * Law: the constructor checks the offsets of all keys. They never decrease, and the last offset is not after
 * the end of the array. So the bytes of each key are in the array, and no other code checks the offsets again.
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
   * The metadata that is passed to Spark. If the keys are not sorted and unique, the flag for that is cleared:
   * a reader that trusts the flag searches by bisection and misses keys.
   */
  val forSpark: Array[Byte] =
    if (!Dictionary.saysSorted(bytes) || (1 until size).forall(id => compare(id - 1, id) < 0)) bytes
    else {
      val unflagged = bytes.clone
      unflagged(0) = (unflagged(0) & ~Dictionary.Sorted).toByte
      unflagged
    }

  def checkId(id: Int): Int = {
    if (id >= size) Encoding.malformed(s"it names key $id of $size")
    id
  }

  def key(id: Int): String = new String(bytes, keyStart(checkId(id)), keyEnd(id) - keyStart(id), "UTF-8")

  /** The ids, sorted by the unsigned UTF-8 bytes of their keys. */
  private lazy val ordered: Array[Integer] = {
    val ids = Array.tabulate(size)(Integer.valueOf)
    Arrays.sort(ids, (a: Integer, b: Integer) => compare(a, b))
    ids
  }

  /** The rank of each id in the order of unsigned UTF-8 bytes; equal keys have equal ranks. */
  lazy val ranks: Array[Int] = {
    val ranks = new Array[Int](size)
    var rank = 0
    for (i <- ordered.indices) {
      if (i > 0 && compare(ordered(i - 1), ordered(i)) != 0) rank += 1
      ranks(ordered(i)) = rank
    }
    ranks
  }

  /** The rank of each id in the UTF-16 order by which Spark searches; equal keys have equal ranks. */
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
   * The position of the value of a key; -1 if the object does not have the key.
   *
   * Law: the keys of an object are in UTF-8 order, or in UTF-16 order if Spark wrote the object. A large object
   * is searched by bisection only if both orders agree on all keys of its dictionary; otherwise all keys are
   * compared.
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

  /** The number of distinct keys that sort before `key`: its rank, if the dictionary contains `key`. */
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
   * Whether Spark's order of keys (UTF-16) may differ from the order of the specification (UTF-8) in this
   * dictionary. The orders differ only between a character beyond the basic plane and a character from U+E000
   * on. So keys without a four-byte character (first byte 0xF0 or more) have the same order in both.
   */
  lazy val ordersMayDiffer: Boolean = Dictionary.hasLongCharacters(bytes, keys)
}

object Dictionary {

  /** The metadata of a variant that has no keys. */
  val noKeys: Array[Byte] = Array(1, 0, 0)

  /** The header flag for sorted and unique keys. */
  private final val Sorted = 0x10

  /** Whether the flag for sorted and unique keys is set; `metadata` is null if no value refers to its keys. */
  def saysSorted(metadata: Array[Byte]): Boolean =
    metadata != null && metadata.length > 0 && (metadata(0) & Sorted) != 0

  /** The length of the metadata at the start of `bytes`; in the draft layout a stored value follows. */
  def lengthIn(bytes: Array[Byte]): Int = {
    val width = widthOf(bytes)
    val last = 1 + width * (1L + Encoding.unsigned(bytes, 1, width))
    val end = last + width + Encoding.unsigned(bytes, Positions.of(bytes, 0, last), width)
    Positions.of(bytes, 0, end)
  }

  /** Whether keys may have four-byte characters; for malformed metadata the result is arbitrary. */
  def mayHoldLongCharacters(metadata: Array[Byte]): Boolean = {
    val width = ((metadata(0) & 0xff) >> 6) + 1
    val keys =
      if (metadata.length <= width) metadata.length
      else 1 + width + (Encoding.unsigned(metadata, 1, width) + 1L) * width
    keys < metadata.length && hasLongCharacters(metadata, keys.toInt)
  }

  /** Whether a byte at `from` or later begins a four-byte character. */
  private def hasLongCharacters(bytes: Array[Byte], from: Int): Boolean = {
    var i = from
    // Tests eight bytes at once: the result is zero if no byte has its upper four bits set.
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
