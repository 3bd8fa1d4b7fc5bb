/**
 * The values of a leaf: as numbers of distinct values, until these take more than a dictionary page may have or do not
 * pay in the first page; as PLAIN has them from then on.
 */
package shreddedvariant.parquet

import java.util.Arrays

import org.apache.parquet.bytes.{BytesInput, BytesUtils, HeapByteBufferAllocator}
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.page.DictionaryPage
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridEncoder
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.hash.Murmur3_x86_32

private abstract class PageValues(maxDictionary: Int) {
  // The page: numbers of distinct values, or values as PLAIN has them.
  private var numbers = new Array[Int](64)
  private var count = 0
  private var plain = new Array[Byte](64)
  private var plainLength = 0
  private var isPlain = false
  private var isFirstPage = true
  private var page = 1

  /** What the page's values would take as PLAIN. */
  protected var plainBytes = 0L

  /** What they take for now: numbers of values count as whole ones, as Parquet counts them. */
  def bufferedBytes: Long = if (isPlain) plainBytes else 4L * count

  // The dictionary: each slot has the number + 1 of a value or 0, and is taken at most half the time.
  private var slots = new Array[Int](128)
  private var metIn = new Array[Int](64)
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

  protected def hashOf(number: Int): Int
  protected def handToPlain(number: Int): Unit
  protected def clearDictionary(): Unit
  protected def clearBounds(): Unit
  protected def encodeDictionary(size: Int): Array[Byte]

  protected final def isDictionary: Boolean = !isPlain
  protected final def lastNumber: Int = last
  protected final def slotOf(hash: Int): Int = hash & (slots.length - 1)
  protected final def slotAfter(slot: Int): Int = (slot + 1) & (slots.length - 1)
  protected final def numberAt(slot: Int): Int = slots(slot) - 1

  /** Adds a value that the dictionary has; says whether the page meets it for the first time. */
  protected final def addNumber(number: Int, bytes: Int): Boolean = {
    last = number
    plainBytes += bytes
    if (count == numbers.length) numbers = Arrays.copyOf(numbers, count * 2)
    numbers(count) = number
    count += 1
    metIn(number) != page && {
      metIn(number) = page
      true
    }
  }

  /** Adds the value that is to have the number `size`, and has its place there already. */
  protected final def addNew(slot: Int, bytes: Int): Unit = {
    slots(slot) = size + 1
    if (size == metIn.length) metIn = Arrays.copyOf(metIn, size * 2)
    size += 1
    dictionaryBytes += bytes
    addNumber(size - 1, bytes)
    if (dictionaryBytes > maxDictionary) fallBack()
    else if (size * 2 > slots.length) grow()
  }

  private def grow(): Unit = {
    slots = new Array[Int](slots.length * 2)
    var number = 0
    while (number < size) {
      var slot = slotOf(hashOf(number))
      while (slots(slot) != 0) slot = slotAfter(slot)
      slots(slot) = number + 1
      number += 1
    }
  }

  private def fallBack(): Unit = {
    isPlain = true
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
  protected final def page(at: Int, value: Int): Unit =
    Platform.putInt(plain, Platform.BYTE_ARRAY_OFFSET + at.toLong, PageValues.littleEndian(value))
  protected final def page(at: Int, value: Long): Unit =
    Platform.putLong(plain, Platform.BYTE_ARRAY_OFFSET + at.toLong, PageValues.littleEndian(value))
  protected final def page(at: Int, bytes: Array[Byte], from: Int, length: Int): Unit =
    System.arraycopy(bytes, from, plain, at, length)

  def encode(): (BytesInput, Encoding) = {
    if (!isPlain) {
      val encoded = encodeNumbers()
      if (!isFirstPage || encoded.size + dictionaryBytes < plainBytes) {
        usedSize = size
        return (encoded, Encoding.RLE_DICTIONARY)
      }
      fallBack()
    }
    (BytesInput.from(plain, 0, plainLength), Encoding.PLAIN)
  }

  private def encodeNumbers(): BytesInput = {
    val width = BytesUtils.getWidthFromMaxInt(size - 1)
    val expected = 64 + count / 8
    val most = math.max(expected, maxDictionary)
    val encoder = new RunLengthBitPackingHybridEncoder(width, expected, most, new HeapByteBufferAllocator)
    var i = 0
    while (i < count) {
      encoder.writeInt(numbers(i))
      i += 1
    }
    BytesInput.concat(BytesInput.from(Array(width.toByte): Array[Byte]), encoder.toBytes)
  }

  def endPage(): Unit = {
    count = 0
    plainLength = 0
    plainBytes = 0
    if (plain.length > PageValues.Kept) plain = new Array[Byte](64)
    last = -1
    page += 1
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
    Arrays.fill(metIn, 0)
    clearDictionary()
  }
}

private object PageValues {

  /** What a page that had larger values than usual may leave behind. */
  final val Kept = 4 * 1024 * 1024

  def apply(primitive: PrimitiveTypeName, maxDictionary: Int): PageValues = primitive match {
    case PrimitiveTypeName.INT32 => new PageNumbers(4, maxDictionary)
    case PrimitiveTypeName.INT64 => new PageNumbers(8, maxDictionary)
    case _ => new PageTexts(maxDictionary)
  }

  private val isLittleEndian = java.nio.ByteOrder.nativeOrder == java.nio.ByteOrder.LITTLE_ENDIAN
  private def littleEndian(value: Int) = if (isLittleEndian) value else Integer.reverseBytes(value)
  private def littleEndian(value: Long) = if (isLittleEndian) value else java.lang.Long.reverseBytes(value)
}

/** Texts or bytes; those of the dictionary stand in one array. */
private final class PageTexts(maxDictionary: Int) extends PageValues(maxDictionary) {
  private var texts = new Array[Byte](1024)
  private var ends = new Array[Int](64)
  private var hashes = new Array[Int](64)
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
      val hash = Murmur3_x86_32.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET + from.toLong, length, 42)
      var slot = slotOf(hash)
      var number = numberAt(slot)
      while (number >= 0 && !(hashes(number) == hash && isAt(number, bytes, from, length))) {
        slot = slotAfter(slot)
        number = numberAt(slot)
      }
      if (number >= 0) {
        if (addNumber(number, 4 + length)) include(bytes, from, length)
      } else {
        store(hash, bytes, from, length)
        include(bytes, from, length)
        addNew(slot, 4 + length)
      }
    }
  }

  private def start(number: Int): Int = if (number == 0) 0 else ends(number - 1)

  private def isAt(number: Int, bytes: Array[Byte], from: Int, length: Int): Boolean =
    Arrays.equals(texts, start(number), ends(number), bytes, from, from + length)

  private def store(hash: Int, bytes: Array[Byte], from: Int, length: Int): Unit = {
    if (size == ends.length) {
      ends = Arrays.copyOf(ends, size * 2)
      hashes = Arrays.copyOf(hashes, size * 2)
    }
    val at = start(size)
    if (texts.length - at < length)
      texts = Arrays.copyOf(texts, Math.addExact(at, math.max(length, at)))
    System.arraycopy(bytes, from, texts, at, length)
    ends(size) = at + length
    hashes(size) = hash
  }

  private def addPlain(bytes: Array[Byte], from: Int, length: Int): Unit = {
    val at = reserve(4 + length)
    page(at, length)
    page(at + 4, bytes, from, length)
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
  protected def hashOf(number: Int): Int = hashes(number)
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
      var slot = slotOf(Murmur3_x86_32.hashLong(value, 42))
      var number = numberAt(slot)
      while (number >= 0 && values(number) != value) {
        slot = slotAfter(slot)
        number = numberAt(slot)
      }
      if (number >= 0) addNumber(number, width)
      else {
        if (size == values.length) values = Arrays.copyOf(values, size * 2)
        values(size) = value
        addNew(slot, width)
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
  protected def hashOf(number: Int): Int = Murmur3_x86_32.hashLong(values(number), 42)
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
