/** The texts or bytes of a leaf; the texts of the dictionary are in one array. */
package shreddedvariant.parquet.write

import java.util.Arrays

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.schema.PrimitiveType
import shreddedvariant.binary.{Hash, LittleEndian, Texts}
import shreddedvariant.parquet.page.PackedDifferences

private[parquet] final class PageTexts(
    primitive: PrimitiveType,
    maxDictionary: Int,
    withDifferences: Boolean = false
) extends PageValues(maxDictionary) {
  private var texts = new Array[Byte](1024)
  private var ends = new Array[Int](64)
  private var textLength = 0L

  // The dictionary ids of recent long texts.
  private val recent = Array.fill(PageTexts.RecentTexts)(-1)
  private var oldest = 0

  // With differences, the page has first all lengths and then all texts.
  private var lengths = new Array[Int](64)
  private var lengthCount = 0
  private lazy val differences = new PackedDifferences

  // The bounds of the page, if it has a value.
  private var hasBounds = false
  private var min = new Array[Byte](32)
  private var minLength = 0
  private var max = new Array[Byte](32)
  private var maxLength = 0
  private var minPrefix = 0L
  private var maxPrefix = 0L

  override def add(value: Long): Unit = throw new IllegalStateException("a text is no number")

  override def add(bytes: Array[Byte], from: Int, length: Int): Unit = {
    textLength += length
    if (!isDictionary) {
      addPlain(bytes, from, length)
      plainBytes += 4 + length
      include(bytes, from, length)
    } else if (length < PageTexts.MinLongText) {
      addNumbered(bytes, from, length)
      ()
    } else if (!addRecent(bytes, from, length)) {
      recent(oldest) = addNumbered(bytes, from, length)
      oldest = (oldest + 1) % PageTexts.RecentTexts
    }
  }

  /** Adds the dictionary id of the text, which may be new, and returns the id. */
  private def addNumbered(bytes: Array[Byte], from: Int, length: Int): Int = {
    val key = PageTexts.keyOf(bytes, from, length)
    var slot = slotOf(key)
    var number = numberAt(slot)
    while (number >= 0 && !(isKeyAt(slot, key) && isTextAt(number, bytes, from, length))) {
      slot = slotAfter(slot)
      number = numberAt(slot)
    }
    if (number >= 0) addNumber(number, 4 + length)
    else {
      number = size
      store(bytes, from, length)
      addNew(slot, key, 4 + length)
    }
    number
  }

  /**
   * Finds recent texts without a hash, which is slow for long texts. Metadata of variants often repeats recent
   * texts.
   */
  private def addRecent(bytes: Array[Byte], from: Int, length: Int): Boolean = {
    var i = 0
    while (i < PageTexts.RecentTexts && !(recent(i) >= 0 && isAt(recent(i), bytes, from, length))) i += 1
    i < PageTexts.RecentTexts && {
      addNumber(recent(i), 4 + length)
      true
    }
  }

  private def start(number: Int): Int = if (number == 0) 0 else ends(number - 1)

  private def isAt(number: Int, bytes: Array[Byte], from: Int, length: Int): Boolean = {
    val position = start(number)
    ends(number) - position == length && Texts.areEqual(texts, position, bytes, from, length)
  }

  /** Whether the text equals the dictionary entry `number`, which has the same key. */
  private def isTextAt(number: Int, bytes: Array[Byte], from: Int, length: Int): Boolean =
    length <= LittleEndian.Few || isAt(number, bytes, from, length)

  private def store(bytes: Array[Byte], from: Int, length: Int): Unit = {
    if (size == ends.length) ends = Arrays.copyOf(ends, size * 2)
    val position = start(size)
    if (texts.length - position < length)
      texts = Arrays.copyOf(texts, Math.addExact(position, math.max(length, position)))
    System.arraycopy(bytes, from, texts, position, length)
    ends(size) = position + length
  }

  private def addPlain(bytes: Array[Byte], from: Int, length: Int): Unit =
    if (withDifferences) {
      page(reserve(length), bytes, from, length)
      if (lengthCount == lengths.length) lengths = Arrays.copyOf(lengths, lengthCount * 2)
      lengths(lengthCount) = length
      lengthCount += 1
    } else {
      val position = reserve(4 + length)
      page(position, length)
      page(position + 4, bytes, from, length)
    }

  override protected def encodePlain(
      plain: Array[Byte],
      length: Int,
      sizeOf: BytesInput => Long
  ): (BytesInput, Encoding) =
    if (!withDifferences) super.encodePlain(plain, length, sizeOf)
    else {
      val bytes = BytesInput.concat(differences.of(lengths, lengthCount), BytesInput.from(plain, 0, length))
      (bytes, Encoding.DELTA_LENGTH_BYTE_ARRAY)
    }

  override def areLong: Boolean =
    withDifferences && lengthCount > 0 && textLength / lengthCount >= PageTexts.MinAverage

  /** Compares each distinct text of the page once, since texts repeat. */
  protected def boundedBy(numbers: Array[Int], count: Int): Unit = {
    val seen = new Array[Long]((size >> 6) + 1)
    var i = 0
    while (i < count) {
      val number = numbers(i)
      val bit = 1L << number
      if ((seen(number >> 6) & bit) == 0) {
        seen(number >> 6) |= bit
        include(texts, start(number), ends(number) - start(number))
      }
      i += 1
    }
  }

  private def include(bytes: Array[Byte], from: Int, length: Int): Unit = {
    // Most texts are between the bounds, which a comparison of prefixes shows.
    val prefix = Texts.comparable(bytes, from, length)
    def order(bound: Array[Byte], boundLength: Int) =
      Texts.compare(bytes, from, length, bound, 0, boundLength)
    if (!hasBounds || prefix <= minPrefix && order(min, minLength) < 0) {
      if (min.length < length) min = new Array[Byte](length * 2)
      System.arraycopy(bytes, from, min, 0, length)
      minLength = length
      minPrefix = prefix
    }
    if (!hasBounds || prefix >= maxPrefix && order(max, maxLength) > 0) {
      if (max.length < length) max = new Array[Byte](length * 2)
      System.arraycopy(bytes, from, max, 0, length)
      maxLength = length
      maxPrefix = prefix
    }
    hasBounds = true
  }

  override def statistics(nulls: Long): Statistics[_] = {
    val bounds =
      Option.when(hasBounds)((Arrays.copyOf(min, minLength), Arrays.copyOf(max, maxLength)))
    PageValues.statistics(primitive, nulls, bounds)
  }

  override def textBytes: Long = textLength
  protected def handToPlain(number: Int): Unit = addPlain(texts, start(number), ends(number) - start(number))
  protected def clearDictionary(): Unit = {
    if (texts.length > PageValues.Kept) texts = new Array[Byte](1024)
    Arrays.fill(recent, -1)
  }
  protected def clearBounds(): Unit = {
    hasBounds = false
    if (math.max(min.length, max.length) > PageValues.Kept) {
      min = new Array[Byte](32)
      max = new Array[Byte](32)
    }
    textLength = 0
    lengthCount = 0
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

private[parquet] object PageTexts {

  private final val MinLongText = 128
  private final val RecentTexts = 4

  /** Of shorter texts, a frame holds so many that nearly every frame has a selected text. */
  private final val MinAverage = 32

  /**
   * The key of a short text is its bytes and its length. The key of a longer text is a hash, which is not
   * unique.
   */
  private def keyOf(bytes: Array[Byte], from: Int, length: Int): Long =
    if (length <= LittleEndian.Few) length.toLong << 56 | LittleEndian.few(bytes, from, length)
    else 1L << 63 | Hash.word(bytes, from, length)
}
