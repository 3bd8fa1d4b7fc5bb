/**
 * The values of a leaf: as numbers of distinct values, until these take more than a dictionary page may have or do not
 * pay in the first page; as PLAIN has them from then on.
 */
package shreddedvariant.parquet

import java.util.Arrays

import org.apache.parquet.bytes.{BytesInput, BytesUtils}
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.page.DictionaryPage
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import shreddedvariant.binary.{Hash, LittleEndian}

private abstract class PageValues(maxDictionary: Int) {
  // The page: numbers of distinct values, or values as PLAIN has them.
  private var numbers = new Array[Int](64)
  private var count = 0
  private var plain = new Array[Byte](64)
  private var plainLength = 0
  private var isPlain = false
  private var isFirstPage = true

  /** What the page's values would take as PLAIN. */
  protected var plainBytes = 0L

  /** What they take for now: numbers of values count as whole ones, as Parquet counts them. */
  def bufferedBytes: Long = if (isPlain) plainBytes else 4L * count

  // The dictionary: each slot has the hash of a value above its number + 1, or 0, and is taken at most half the time.
  private var slots = new Array[Long](128)
  private var dictionaryBytes = 0L
  private var usedSize = 0
  private var last = -1
  protected var size = 0

  def add(value: Long): Unit
  def add(bytes: Array[Byte], from: Int, length: Int): Unit

  /** The smallest and the largest value of the page as PLAIN has them, if it has a value. */
  def bounds: Option[(Array[Byte], Array[Byte])]

  /** Bytes of the page's texts alone. */
  def textBytes: Long

  protected def handToPlain(number: Int): Unit

  /** The last look at the page's numbers, before they are encoded or given up. */
  protected def boundedBy(numbers: Array[Int], count: Int): Unit
  protected def clearDictionary(): Unit
  protected def clearBounds(): Unit
  protected def encodeDictionary(size: Int): Array[Byte]

  protected final def isDictionary: Boolean = !isPlain
  protected final def lastNumber: Int = last
  protected final def slotOf(hash: Int): Int = hash & (slots.length - 1)
  protected final def slotAfter(slot: Int): Int = (slot + 1) & (slots.length - 1)

  /** The number of the value in a slot, -1 if there is none; and whether it may be a value with this hash. */
  protected final def numberAt(slot: Int): Int = slots(slot).toInt - 1
  protected final def isHashAt(slot: Int, hash: Int): Boolean = (slots(slot) >>> 32).toInt == hash

  /** Adds a value that the dictionary has. */
  protected final def addNumber(number: Int, bytes: Int): Unit = {
    last = number
    plainBytes += bytes
    if (count == numbers.length) numbers = Arrays.copyOf(numbers, count * 2)
    numbers(count) = number
    count += 1
  }

  /** Adds the value that is to have the number `size`, and has its place there already. */
  protected final def addNew(slot: Int, hash: Int, bytes: Int): Unit = {
    size += 1
    slots(slot) = hash.toLong << 32 | size
    dictionaryBytes += bytes
    addNumber(size - 1, bytes)
    if (dictionaryBytes > maxDictionary) fallBack()
    else if (size * 2 > slots.length) grow()
  }

  private def grow(): Unit = {
    val taken = slots
    slots = new Array[Long](taken.length * 2)
    var i = 0
    while (i < taken.length) {
      if (taken(i) != 0) {
        var slot = slotOf((taken(i) >>> 32).toInt)
        while (slots(slot) != 0) slot = slotAfter(slot)
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
  protected final def page(at: Int, bytes: Array[Byte], from: Int, length: Int): Unit =
    System.arraycopy(bytes, from, plain, at, length)

  def encode(): (BytesInput, Encoding) = {
    if (!isPlain) {
      val encoded = encodeNumbers()
      if (!isFirstPage || encoded.size + dictionaryBytes < plainBytes / PageValues.Gain) {
        boundedBy(numbers, count)
        usedSize = size
        return (encoded, Encoding.RLE_DICTIONARY)
      }
      fallBack()
    }
    (BytesInput.from(plain, 0, plainLength), Encoding.PLAIN)
  }

  private def encodeNumbers(): BytesInput = {
    val width = BytesUtils.getWidthFromMaxInt(size - 1)
    val runs = new HybridWriter(width)
    runs.add(numbers, count)
    BytesInput.concat(BytesInput.from(Array(width.toByte): Array[Byte]), runs.encoded)
  }

  def endPage(): Unit = {
    count = 0
    plainLength = 0
    plainBytes = 0
    if (plain.length > PageValues.Kept) plain = new Array[Byte](64)
    last = -1
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
    isPlain = false
    isFirstPage = true
  }

  private def forget(): Unit = {
    size = 0
    dictionaryBytes = 0
    last = -1
    Arrays.fill(slots, 0)
    clearDictionary()
  }
}

private object PageValues {

  /** How much smaller a dictionary has to make the first page: values as PLAIN are compressed, their numbers hardly are. */
  private final val Gain = 2

  /** What a page that had larger values than usual may leave behind. */
  final val Kept = 4 * 1024 * 1024

  def apply(primitive: PrimitiveTypeName, maxDictionary: Int): PageValues = primitive match {
    case PrimitiveTypeName.INT32 => new PageNumbers(4, maxDictionary)
    case PrimitiveTypeName.INT64 => new PageNumbers(8, maxDictionary)
    case _ => new PageTexts(maxDictionary)
  }
}

/** Texts or bytes; those of the dictionary stand in one array. */
private final class PageTexts(maxDictionary: Int) extends PageValues(maxDictionary) {
  private var texts = new Array[Byte](1024)
  private var ends = new Array[Int](64)
  private var texted = 0L

  // The bounds of the page, if it has a value.
  private var hasBounds = false
  private var least = new Array[Byte](32)
  private var leastLength = 0
  private var most = new Array[Byte](32)
  private var mostLength = 0

  override def add(value: Long): Unit = throw new IllegalStateException("a text is no number")

  override def add(bytes: Array[Byte], from: Int, length: Int): Unit = {
    texted += length
    if (!isDictionary) {
      addPlain(bytes, from, length)
      plainBytes += 4 + length
      include(bytes, from, length)
    } else if (lastNumber >= 0 && isAt(lastNumber, bytes, from, length)) addNumber(lastNumber, 4 + length)
    else {
      val hash = Hash.of(bytes, from, length)
      var slot = slotOf(hash)
      var number = numberAt(slot)
      while (number >= 0 && !(isHashAt(slot, hash) && isAt(number, bytes, from, length))) {
        slot = slotAfter(slot)
        number = numberAt(slot)
      }
      if (number >= 0) addNumber(number, 4 + length)
      else {
        store(bytes, from, length)
        addNew(slot, hash, 4 + length)
      }
    }
  }

  private def start(number: Int): Int = if (number == 0) 0 else ends(number - 1)

  private def isAt(number: Int, bytes: Array[Byte], from: Int, length: Int): Boolean = {
    val at = start(number)
    ends(number) - at == length && PageTexts.areEqual(texts, at, bytes, from, length)
  }

  private def store(bytes: Array[Byte], from: Int, length: Int): Unit = {
    if (size == ends.length) ends = Arrays.copyOf(ends, size * 2)
    val at = start(size)
    if (texts.length - at < length)
      texts = Arrays.copyOf(texts, Math.addExact(at, math.max(length, at)))
    System.arraycopy(bytes, from, texts, at, length)
    ends(size) = at + length
  }

  private def addPlain(bytes: Array[Byte], from: Int, length: Int): Unit = {
    val at = reserve(4 + length)
    page(at, length)
    page(at + 4, bytes, from, length)
  }

  /** A page has the same texts again and again: each is compared once. */
  protected def boundedBy(numbers: Array[Int], count: Int): Unit = {
    val met = new Array[Long]((size >> 6) + 1)
    var i = 0
    while (i < count) {
      val number = numbers(i)
      val bit = 1L << number
      if ((met(number >> 6) & bit) == 0) {
        met(number >> 6) |= bit
        include(texts, start(number), ends(number) - start(number))
      }
      i += 1
    }
  }

  private def include(bytes: Array[Byte], from: Int, length: Int): Unit = {
    if (!hasBounds || Arrays.compareUnsigned(bytes, from, from + length, least, 0, leastLength) < 0) {
      if (least.length < length) least = new Array[Byte](length * 2)
      System.arraycopy(bytes, from, least, 0, length)
      leastLength = length
    }
    if (!hasBounds || Arrays.compareUnsigned(bytes, from, from + length, most, 0, mostLength) > 0) {
      if (most.length < length) most = new Array[Byte](length * 2)
      System.arraycopy(bytes, from, most, 0, length)
      mostLength = length
    }
    hasBounds = true
  }

  override def bounds: Option[(Array[Byte], Array[Byte])] =
    Option.when(hasBounds)((Arrays.copyOf(least, leastLength), Arrays.copyOf(most, mostLength)))

  override def textBytes: Long = texted
  protected def handToPlain(number: Int): Unit = addPlain(texts, start(number), ends(number) - start(number))
  protected def clearDictionary(): Unit = if (texts.length > PageValues.Kept) texts = new Array[Byte](1024)
  protected def clearBounds(): Unit = {
    hasBounds = false
    if (math.max(least.length, most.length) > PageValues.Kept) {
      least = new Array[Byte](32)
      most = new Array[Byte](32)
    }
    texted = 0
  }

  protected def encodeDictionary(size: Int): Array[Byte] = {
    val encoded =
      java.nio.ByteBuffer.allocate(ends(size - 1) + 4 * size).order(java.nio.ByteOrder.LITTLE_ENDIAN)
    for (number <- 0 until size) {
      val length = ends(number) - start(number)
      encoded.putInt(length)
      encoded.put(texts, start(number), length)
    }
    encoded.array
  }
}

private object PageTexts {

  /** Short texts are compared in words: most are, and a call would take longer. */
  private final val Short = 32

  private def areEqual(a: Array[Byte], fromA: Int, b: Array[Byte], fromB: Int, length: Int): Boolean =
    if (length > Short) Arrays.equals(a, fromA, fromA + length, b, fromB, fromB + length)
    else {
      var i = 0
      while (i + 8 <= length && LittleEndian.long(a, fromA + i) == LittleEndian.long(b, fromB + i)) i += 8
      while (i < length && a(fromA + i) == b(fromB + i)) i += 1
      i == length
    }
}

/** Whole numbers of `width` bytes. */
private final class PageNumbers(width: Int, maxDictionary: Int) extends PageValues(maxDictionary) {
  private var values = new Array[Long](64)
  private var least = Long.MaxValue
  private var most = Long.MinValue

  override def add(bytes: Array[Byte], from: Int, length: Int): Unit =
    throw new IllegalStateException("a number is no text")

  override def add(value: Long): Unit = {
    if (value < least) least = value
    if (value > most) most = value
    if (!isDictionary) {
      addPlain(value)
      plainBytes += width
    } else if (lastNumber >= 0 && values(lastNumber) == value) addNumber(lastNumber, width)
    else {
      val hash = Hash.of(value)
      var slot = slotOf(hash)
      var number = numberAt(slot)
      while (number >= 0 && values(number) != value) {
        slot = slotAfter(slot)
        number = numberAt(slot)
      }
      if (number >= 0) addNumber(number, width)
      else {
        if (size == values.length) values = Arrays.copyOf(values, size * 2)
        values(size) = value
        addNew(slot, hash, width)
      }
    }
  }

  private def addPlain(value: Long): Unit = {
    val at = reserve(width)
    if (width == 4) page(at, value.toInt) else page(at, value)
  }

  override def bounds: Option[(Array[Byte], Array[Byte])] =
    Option.when(least <= most)((encoded(Array(least)), encoded(Array(most))))

  override def textBytes: Long = 0
  protected def boundedBy(numbers: Array[Int], count: Int): Unit = ()
  protected def handToPlain(number: Int): Unit = addPlain(values(number))
  protected def clearDictionary(): Unit = ()
  protected def clearBounds(): Unit = {
    least = Long.MaxValue
    most = Long.MinValue
  }
  protected def encodeDictionary(size: Int): Array[Byte] = encoded(Arrays.copyOf(values, size))

  private def encoded(values: Array[Long]): Array[Byte] = {
    val bytes = java.nio.ByteBuffer.allocate(width * values.length).order(java.nio.ByteOrder.LITTLE_ENDIAN)
    values.foreach(value => if (width == 4) bytes.putInt(value.toInt) else bytes.putLong(value))
    bytes.array
  }
}
