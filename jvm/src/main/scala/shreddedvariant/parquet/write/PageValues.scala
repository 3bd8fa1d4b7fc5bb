/**
 * Buffers and encodes the values of a leaf.
 *
 * Values are dictionary ids, here called numbers, until the dictionary exceeds the size of a dictionary page,
 * or does not pay in the first page. From then on, values are in PLAIN encoding.
 */
package shreddedvariant.parquet.write

import java.util.Arrays

import scala.annotation.unused

import org.apache.parquet.bytes.{BytesInput, BytesUtils}
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.page.DictionaryPage
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.schema.PrimitiveType
import shreddedvariant.binary.{Hash, LittleEndian}
import shreddedvariant.parquet.page.RleEncoder

private[parquet] abstract class PageValues(maxDictionary: Int, hasDictionary: Boolean = true) {
  // The page: dictionary ids, or values in PLAIN encoding.
  private var numbers = new Array[Int](64)
  private var count = 0
  private var plain = new Array[Byte](64)
  private var plainLength = 0
  private var isPlain = !hasDictionary
  private var isFirstPage = true

  /** The bytes of the page's values in PLAIN encoding. */
  protected var plainBytes = 0L

  /** The buffered bytes. A dictionary id counts as four bytes, as in Parquet's own writer. */
  def bufferedBytes: Long = if (isPlain) plainBytes else 4L * count

  // The dictionary, a hash table: each slot has the key of a value and its id + 1, or 0. At most half of the
  // slots are used.
  private var keys = new Array[Long](128)
  private var slots = new Array[Int](128)
  private var dictionaryBytes = 0L
  private var usedSize = 0
  protected var size = 0

  def add(value: Long): Unit
  def add(bytes: Array[Byte], from: Int, length: Int): Unit

  /** The statistics of the page's values. */
  def statistics(nulls: Long): Statistics[_]

  /** The bytes of the page's texts, without lengths. */
  def textBytes: Long

  /** Whether the page has long texts, each with a position that the lengths give. */
  def areLong: Boolean = false

  /** Adds the value with this dictionary id to the page in PLAIN encoding. */
  protected def handToPlain(number: Int): Unit

  /**
   * Computes the bounds of the page from its dictionary ids, before these are encoded or replaced by values.
   */
  protected def boundedBy(numbers: Array[Int], count: Int): Unit
  protected def clearDictionary(): Unit
  protected def clearBounds(): Unit
  protected def encodeDictionary(size: Int): Array[Byte]

  protected final def isDictionary: Boolean = !isPlain
  protected final def slotOf(key: Long): Int = Hash.of(key) & (slots.length - 1)
  protected final def slotAfter(slot: Int): Int = (slot + 1) & (slots.length - 1)

  /** The dictionary id in a slot, -1 if the slot is empty; and whether the slot has this key. */
  protected final def numberAt(slot: Int): Int = slots(slot) - 1
  protected final def isKeyAt(slot: Int, key: Long): Boolean = keys(slot) == key

  /** Adds a value that is in the dictionary. */
  protected final def addNumber(number: Int, bytes: Int): Unit = {
    plainBytes += bytes
    if (count == numbers.length) numbers = Arrays.copyOf(numbers, count * 2)
    numbers(count) = number
    count += 1
  }

  /** Adds a new value with the id `size`. The subclass has already stored the value. */
  protected final def addNew(slot: Int, key: Long, bytes: Int): Unit = {
    size += 1
    keys(slot) = key
    slots(slot) = size
    dictionaryBytes += bytes
    addNumber(size - 1, bytes)
    if (dictionaryBytes > maxDictionary) fallBack()
    else if (size * 2 > slots.length) grow()
  }

  private def grow(): Unit = {
    val (oldKeys, oldSlots) = (keys, slots)
    keys = new Array[Long](oldSlots.length * 2)
    slots = new Array[Int](oldSlots.length * 2)
    var i = 0
    while (i < oldSlots.length) {
      if (oldSlots(i) != 0) {
        var slot = slotOf(oldKeys(i))
        while (slots(slot) != 0) slot = slotAfter(slot)
        keys(slot) = oldKeys(i)
        slots(slot) = oldSlots(i)
      }
      i += 1
    }
  }

  private def fallBack(): Unit = {
    isPlain = true
    boundedBy(numbers, count)
    // Later pages are expected to be about as large.
    val expected = Math.toIntExact(plainBytes + plainBytes / 8)
    if (plain.length < expected) plain = new Array[Byte](expected)
    var i = 0
    while (i < count) {
      handToPlain(numbers(i))
      i += 1
    }
    count = 0
    // Earlier pages may still need the dictionary.
    if (usedSize == 0) forget()
  }

  /** Reserves bytes in the page for PLAIN values, and returns their position. */
  protected final def reserve(bytes: Int): Int = {
    val start = plainLength
    if (plain.length - start < bytes)
      plain = Arrays.copyOf(plain, Math.addExact(start, math.max(bytes, start)))
    plainLength += bytes
    start
  }
  protected final def page(start: Int, value: Int): Unit = LittleEndian.put(plain, start, value)
  protected final def page(start: Int, value: Long): Unit = LittleEndian.put(plain, start, value)
  protected final def page(start: Int, value: Byte): Unit = plain(start) = value
  protected final def page(start: Int, bytes: Array[Byte], from: Int, length: Int): Unit =
    System.arraycopy(bytes, from, plain, start, length)

  /** Encodes the values as PLAIN, or in fewer bytes. `sizeOf` gives the compressed size of bytes. */
  protected def encodePlain(
      plain: Array[Byte],
      length: Int,
      @unused sizeOf: BytesInput => Long
  ): (BytesInput, Encoding) =
    (BytesInput.from(plain, 0, length), Encoding.PLAIN)

  def encode(sizeOf: BytesInput => Long): (BytesInput, Encoding) = {
    if (!isPlain) {
      val encoded = encodeNumbers()
      if (!isFirstPage || encoded.size + dictionaryBytes < plainBytes / PageValues.MinGain) {
        boundedBy(numbers, count)
        usedSize = size
        return (encoded, Encoding.RLE_DICTIONARY)
      }
      fallBack()
    }
    encodePlain(plain, plainLength, sizeOf)
  }

  private def encodeNumbers(): BytesInput = {
    val width = BytesUtils.getWidthFromMaxInt(size - 1)
    val runs = new RleEncoder(width)
    runs.add(numbers, count)
    BytesInput.concat(BytesInput.from(Array(width.toByte): Array[Byte]), runs.encoded)
  }

  def endPage(): Unit = {
    count = 0
    plainLength = 0
    plainBytes = 0
    if (plain.length > PageValues.Kept) plain = new Array[Byte](64)
    isFirstPage = false
    clearBounds()
  }

  /** The dictionary of all pages so far; null if no page needs it. */
  def dictionary: DictionaryPage =
    if (usedSize == 0) null
    else new DictionaryPage(BytesInput.from(encodeDictionary(usedSize)), usedSize, Encoding.PLAIN)

  /** Starts a row group. */
  def clear(): Unit = {
    endPage()
    forget()
    usedSize = 0
    isPlain = !hasDictionary
    isFirstPage = true
  }

  private def forget(): Unit = {
    size = 0
    dictionaryBytes = 0
    Arrays.fill(slots, 0)
    clearDictionary()
  }
}

private[parquet] object PageValues {

  /** A dictionary must halve the first page: PLAIN values compress well, and dictionary ids hardly. */
  private final val MinGain = 2

  /** Larger arrays are not kept for the next page. */
  final val Kept = 4 * 1024 * 1024

  /** Statistics with bounds in PLAIN encoding, if the page has a value. */
  def statistics(
      primitive: PrimitiveType,
      nulls: Long,
      bounds: Option[(Array[Byte], Array[Byte])]
  ): Statistics[_] = {
    val statistics = Statistics.getBuilderForReading(primitive).withNumNulls(nulls)
    for ((min, max) <- bounds) statistics.withMin(min).withMax(max)
    statistics.build()
  }
}
