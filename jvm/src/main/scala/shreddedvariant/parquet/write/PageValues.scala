/**
 * The values of a leaf: as numbers of distinct values, until these take more than a dictionary page may have or do not
 * pay in the first page; as PLAIN has them from then on.
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
  // The page: numbers of distinct values, or values as PLAIN has them.
  private var numbers = new Array[Int](64)
  private var count = 0
  private var plain = new Array[Byte](64)
  private var plainLength = 0
  private var isPlain = !hasDictionary
  private var isFirstPage = true

  /** What the page's values would take as PLAIN. */
  protected var plainBytes = 0L

  /** What they take for now: numbers of values count as whole ones, as Parquet counts them. */
  def bufferedBytes: Long = if (isPlain) plainBytes else 4L * count

  // The dictionary: each slot has the key of a value and its number + 1, or 0 where there is none. At most half are taken.
  private var keys = new Array[Long](128)
  private var slots = new Array[Int](128)
  private var dictionaryBytes = 0L
  private var usedSize = 0
  protected var size = 0

  def add(value: Long): Unit
  def add(bytes: Array[Byte], from: Int, length: Int): Unit

  /** Of the values of the page. */
  def statistics(nulls: Long): Statistics[_]

  /** Bytes of the page's texts alone. */
  def textBytes: Long

  /** Whether these are long texts, of which each can be found without those before it. */
  def areLong: Boolean = false

  protected def handToPlain(number: Int): Unit

  /** The last look at the page's numbers, before they are encoded or given up. */
  protected def boundedBy(numbers: Array[Int], count: Int): Unit
  protected def clearDictionary(): Unit
  protected def clearBounds(): Unit
  protected def encodeDictionary(size: Int): Array[Byte]

  protected final def isDictionary: Boolean = !isPlain
  protected final def slotOf(key: Long): Int = Hash.of(key) & (slots.length - 1)
  protected final def slotAfter(slot: Int): Int = (slot + 1) & (slots.length - 1)

  /** The number of the value in a slot, -1 if there is none; and whether it may be a value with this key. */
  protected final def numberAt(slot: Int): Int = slots(slot) - 1
  protected final def isKeyAt(slot: Int, key: Long): Boolean = keys(slot) == key

  /** Adds a value that the dictionary has. */
  protected final def addNumber(number: Int, bytes: Int): Unit = {
    plainBytes += bytes
    if (count == numbers.length) numbers = Arrays.copyOf(numbers, count * 2)
    numbers(count) = number
    count += 1
  }

  /** Adds the value that is to have the number `size`, and has its place there already. */
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
    val (keysBefore, taken) = (keys, slots)
    keys = new Array[Long](taken.length * 2)
    slots = new Array[Int](taken.length * 2)
    var i = 0
    while (i < taken.length) {
      if (taken(i) != 0) {
        var slot = slotOf(keysBefore(i))
        while (slots(slot) != 0) slot = slotAfter(slot)
        keys(slot) = keysBefore(i)
        slots(slot) = taken(i)
      }
      i += 1
    }
  }

  private def fallBack(): Unit = {
    isPlain = true
    boundedBy(numbers, count)
    // The pages to come will be about as large.
    val expected = Math.toIntExact(plainBytes + plainBytes / 8)
    if (plain.length < expected) plain = new Array[Byte](expected)
    var i = 0
    while (i < count) {
      handToPlain(numbers(i))
      i += 1
    }
    count = 0
    // Pages before may need the dictionary still.
    if (usedSize == 0) forget()
  }

  /** Makes room in the page for so many bytes of PLAIN, and says where they begin. */
  protected final def reserve(bytes: Int): Int = {
    val at = plainLength
    if (plain.length - at < bytes) plain = Arrays.copyOf(plain, Math.addExact(at, math.max(bytes, at)))
    plainLength += bytes
    at
  }
  protected final def page(at: Int, value: Int): Unit = LittleEndian.put(plain, at, value)
  protected final def page(at: Int, value: Long): Unit = LittleEndian.put(plain, at, value)
  protected final def page(at: Int, value: Byte): Unit = plain(at) = value
  protected final def page(at: Int, bytes: Array[Byte], from: Int, length: Int): Unit =
    System.arraycopy(bytes, from, plain, at, length)

  /** The values as PLAIN has them, or in fewer bytes; `sizeOf` says what bytes take once they are compressed. */
  protected def encodePlain(
      plain: Array[Byte],
      length: Int,
      @unused sizeOf: BytesInput => Long
  ): (BytesInput, Encoding) =
    (BytesInput.from(plain, 0, length), Encoding.PLAIN)

  def encode(sizeOf: BytesInput => Long): (BytesInput, Encoding) = {
    if (!isPlain) {
      val encoded = encodeNumbers()
      if (!isFirstPage || encoded.size + dictionaryBytes < plainBytes / PageValues.Gain) {
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

  /** The dictionary of the pages so far, if one of them needs it. */
  def dictionary: DictionaryPage =
    if (usedSize == 0) null
    else new DictionaryPage(BytesInput.from(encodeDictionary(usedSize)), usedSize, Encoding.PLAIN)

  /** Begins a row group. */
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

  /** How much smaller a dictionary has to make the first page: values as PLAIN are compressed, their numbers hardly are. */
  private final val Gain = 2

  /** What a page that had larger values than usual may leave behind. */
  final val Kept = 4 * 1024 * 1024

  /** With bounds as PLAIN has them, if the page has a value. */
  def statistics(
      of: PrimitiveType,
      nulls: Long,
      bounds: Option[(Array[Byte], Array[Byte])]
  ): Statistics[_] = {
    val statistics = Statistics.getBuilderForReading(of).withNumNulls(nulls)
    for ((least, most) <- bounds) statistics.withMin(least).withMax(most)
    statistics.build()
  }
}
