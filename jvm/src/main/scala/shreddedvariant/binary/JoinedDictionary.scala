/**
 * Builds one dictionary from several: the names and the keys of a variant's parts, each key once, in the order
 * of use.
 *
 * A key gets its number on first use and keeps the number for later variants, until the memory limit is
 * reached. Each key that the current variant uses also has an id. Consecutive variants that use the same keys
 * in the same order share one metadata array.
 */
package shreddedvariant.binary

import java.util.{Arrays, HashMap, IdentityHashMap}

final class JoinedDictionary(names: Names) {
  private var numbers = new HashMap[JoinedDictionary.Key, Integer]
  private var keys = new Array[Array[Byte]](math.max(names.size, 16))
  private var keyCount = names.size
  private val numberings = new IdentityHashMap[ResolvedDictionary, Array[Int]]

  /** The approximate number of bytes of the keys and numberings in memory. */
  private var weight = 0L

  private var ids = newIds(keys.length)
  private var usedNumbers = new Array[Int](16)
  private var size = 0

  private var lastUsed = new Array[Int](0)
  private var lastMetadata = Dictionary.noKeys

  for (name <- 0 until names.size) keys(name) = names.key(name)

  /** Starts a variant, which has no keys yet. */
  def clear(): Unit = {
    if (weight > JoinedDictionary.MaxBytes) forget()
    var i = 0
    while (i < size) { ids(usedNumbers(i)) = -1; i += 1 }
    size = 0
  }

  def idOfName(name: Int): Int = idOf(name)

  def idOf(source: ResolvedDictionary, id: Int): Int = {
    source.dictionary.checkId(id)
    val name = source.nameOfId(id)
    idOf(if (name >= 0) name else numberOf(source, id))
  }

  /** The metadata of the variant; the array of the previous variant is reused if the keys are the same. */
  def metadata: Array[Byte] = {
    if (!Arrays.equals(usedNumbers, 0, size, lastUsed, 0, lastUsed.length)) {
      lastMetadata = build()
      lastUsed = Arrays.copyOf(usedNumbers, size)
    }
    lastMetadata
  }

  private def idOf(number: Int): Int = {
    if (ids(number) < 0) {
      if (size == usedNumbers.length) usedNumbers = Arrays.copyOf(usedNumbers, 2 * size)
      usedNumbers(size) = number
      ids(number) = size
      size += 1
    }
    ids(number)
  }

  private def numberOf(source: ResolvedDictionary, id: Int): Int = {
    val numbering = numberings.computeIfAbsent(source, numberingOf(_))
    if (numbering(id) < 0) {
      val start = source.dictionary.keyStart(id)
      val key = Arrays.copyOfRange(source.dictionary.bytes, start, source.dictionary.keyEnd(id))
      numbering(id) = numbers.computeIfAbsent(new JoinedDictionary.Key(key), _ => add(key))
    }
    numbering(id)
  }

  private def numberingOf(source: ResolvedDictionary) = {
    weight += source.weight + 4L * source.dictionary.size
    newIds(source.dictionary.size)
  }

  private def add(key: Array[Byte]): Integer = {
    weight += JoinedDictionary.WeightOfKey + key.length
    if (keyCount == keys.length) {
      keys = Arrays.copyOf(keys, 2 * keyCount)
      ids = Arrays.copyOf(ids, 2 * keyCount)
      Arrays.fill(ids, keyCount, ids.length, -1)
    }
    keys(keyCount) = key
    keyCount += 1
    keyCount - 1
  }

  /** Drops all keys but the names. Callers do this between two variants, when no number is in use. */
  private def forget(): Unit = {
    numbers = new HashMap
    numberings.clear()
    keys = Arrays.copyOf(keys, math.max(names.size, 16))
    keyCount = names.size
    ids = newIds(keys.length)
    size = 0
    usedNumbers = new Array[Int](16)
    lastUsed = new Array[Int](0)
    lastMetadata = Dictionary.noKeys
    weight = 0
  }

  private def build(): Array[Byte] =
    if (size == 0) Dictionary.noKeys
    else {
      var total = 0L
      for (i <- 0 until size) total += keys(usedNumbers(i)).length
      val width = Encoding.widthOf(math.max(total, size.toLong).min(Int.MaxValue.toLong).toInt)
      val start = 1 + width * (size + 2L)
      if (start + total > Int.MaxValue - 16) Encoding.malformed("its keys are beyond 2 GiB")
      val bytes = new Array[Byte]((start + total).toInt)
      def put(at: Int, number: Int): Unit =
        for (i <- 0 until width) bytes(at + i) = (number >>> (8 * i)).toByte
      bytes(0) = (1 | (width - 1) << 6).toByte
      put(1, size)
      var end = 0
      for (i <- 0 until size) {
        val key = keys(usedNumbers(i))
        System.arraycopy(key, 0, bytes, start.toInt + end, key.length)
        end += key.length
        put(1 + width * (2 + i), end)
      }
      bytes
    }

  private def newIds(size: Int): Array[Int] = {
    val ids = new Array[Int](size)
    Arrays.fill(ids, -1)
    ids
  }
}

private object JoinedDictionary {
  private val MaxBytes = 4L << 20

  /** The approximate number of bytes that a key takes in addition to its own bytes. */
  private val WeightOfKey = 120

  private final class Key(val bytes: Array[Byte]) {
    override val hashCode: Int = Hash.of(bytes, 0, bytes.length)
    override def equals(other: Any): Boolean = other match {
      case key: Key => Arrays.equals(bytes, key.bytes)
      case _ => false
    }
  }
}
