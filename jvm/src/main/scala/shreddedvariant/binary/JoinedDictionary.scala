/**
 * The keys of several dictionaries in one: of names and of the parts of a variant, each key once, as they are used.
 *
 * Keys are numbered for good when they are first met; those that the variant at hand uses have ids beside it. Rows that
 * use the same keys in the same order share the bytes of their metadata.
 */
package shreddedvariant.binary

import java.util.{Arrays, HashMap, IdentityHashMap}

final class JoinedDictionary(names: Names) {
  private var numbers = new HashMap[JoinedDictionary.Key, Integer]
  private var keys = new Array[Array[Byte]](math.max(names.size, 16))
  private var known = names.size
  private val numberings = new IdentityHashMap[ResolvedDictionary, Array[Int]]

  /** About how many bytes the keys and numberings take in memory. */
  private var weight = 0L

  private var ids = newIds(keys.length)
  private var used = new Array[Int](16)
  private var size = 0

  private var lastUsed = new Array[Int](0)
  private var lastMetadata = Dictionary.noKeys

  for (name <- 0 until names.size) keys(name) = names.key(name)

  /** Begins a variant without keys. */
  def clear(): Unit = {
    if (weight > JoinedDictionary.MaxBytes) forget()
    var i = 0
    while (i < size) { ids(used(i)) = -1; i += 1 }
    size = 0
  }

  def idOfName(name: Int): Int = idOf(name)

  def idOf(from: ResolvedDictionary, id: Int): Int = {
    from.dictionary.checkId(id)
    val name = from.nameOfId(id)
    idOf(if (name >= 0) name else numberOf(from, id))
  }

  /** The metadata of the variant: a new array, or that of the one before. */
  def metadata: Array[Byte] = {
    if (!Arrays.equals(used, 0, size, lastUsed, 0, lastUsed.length)) {
      lastMetadata = build()
      lastUsed = Arrays.copyOf(used, size)
    }
    lastMetadata
  }

  private def idOf(number: Int): Int = {
    if (ids(number) < 0) {
      if (size == used.length) used = Arrays.copyOf(used, 2 * size)
      used(size) = number
      ids(number) = size
      size += 1
    }
    ids(number)
  }

  private def numberOf(from: ResolvedDictionary, id: Int): Int = {
    val numbering = numberings.computeIfAbsent(from, numberingOf(_))
    if (numbering(id) < 0) {
      val start = from.dictionary.keyStart(id)
      val key = Arrays.copyOfRange(from.dictionary.bytes, start, from.dictionary.keyEnd(id))
      numbering(id) = numbers.computeIfAbsent(new JoinedDictionary.Key(key), _ => add(key))
    }
    numbering(id)
  }

  private def numberingOf(from: ResolvedDictionary) = {
    weight += from.weight + 4L * from.dictionary.size
    newIds(from.dictionary.size)
  }

  private def add(key: Array[Byte]): Integer = {
    weight += JoinedDictionary.WeightOfKey + key.length
    if (known == keys.length) {
      keys = Arrays.copyOf(keys, 2 * known)
      ids = Arrays.copyOf(ids, 2 * known)
      Arrays.fill(ids, known, ids.length, -1)
    }
    keys(known) = key
    known += 1
    known - 1
  }

  /** Called between two variants, so that no number is in use. */
  private def forget(): Unit = {
    numbers = new HashMap
    numberings.clear()
    keys = Arrays.copyOf(keys, math.max(names.size, 16))
    known = names.size
    ids = newIds(keys.length)
    size = 0
    used = new Array[Int](16)
    lastUsed = new Array[Int](0)
    lastMetadata = Dictionary.noKeys
    weight = 0
  }

  private def build(): Array[Byte] =
    if (size == 0) Dictionary.noKeys
    else {
      var total = 0L
      for (i <- 0 until size) total += keys(used(i)).length
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
        val key = keys(used(i))
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

  /** Of the objects and numbers of one key. */
  private val WeightOfKey = 120

  private final class Key(val bytes: Array[Byte]) {
    override val hashCode: Int = Arrays.hashCode(bytes)
    override def equals(other: Any): Boolean = other match {
      case key: Key => Arrays.equals(bytes, key.bytes)
      case _ => false
    }
  }
}
