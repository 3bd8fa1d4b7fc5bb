/** Texts or bytes; those of the dictionary stand in one array. */
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
  private var texted = 0L

  // Numbers of long texts that were looked for last.
  private val recent = Array.fill(PageTexts.SmallCache)(-1)
  private var oldest = 0

  // With differences the texts of a page stand behind the lengths of all of them.
  private var lengths = new Array[Int](64)
  private var told = 0
  private lazy val differences = new PackedDifferences

  // The bounds of the page, if it has a value.
  private var hasBounds = false
  private var least = new Array[Byte](32)
  private var leastLength = 0
  private var most = new Array[Byte](32)
  private var mostLength = 0
  private var beginOfLeast = 0L
  private var beginOfMost = 0L

  override def add(value: Long): Unit = throw new IllegalStateException("a text is no number")

  override def add(bytes: Array[Byte], from: Int, length: Int): Unit = {
    texted += length
    if (!isDictionary) {
      addPlain(bytes, from, length)
      plainBytes += 4 + length
      include(bytes, from, length)
    } else if (length < PageTexts.Long) {
      addNumbered(bytes, from, length)
      ()
    } else if (!addRecent(bytes, from, length)) {
      recent(oldest) = addNumbered(bytes, from, length)
      oldest = (oldest + 1) % PageTexts.SmallCache
    }
  }

  /** Adds the number that the text has in the dictionary, or gets there, and says which. */
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

  /** Long texts that repeat, as dictionaries of variants do, are one of a few mostly, and take long to hash. */
  private def addRecent(bytes: Array[Byte], from: Int, length: Int): Boolean = {
    var i = 0
    while (i < PageTexts.SmallCache && !(recent(i) >= 0 && isAt(recent(i), bytes, from, length))) i += 1
    i < PageTexts.SmallCache && {
      addNumber(recent(i), 4 + length)
      true
    }
  }

  private def start(number: Int): Int = if (number == 0) 0 else ends(number - 1)

  private def isAt(number: Int, bytes: Array[Byte], from: Int, length: Int): Boolean = {
    val at = start(number)
    ends(number) - at == length && Texts.areEqual(texts, at, bytes, from, length)
  }

  /** Whether a text is the one with this number, whose key it has. */
  private def isTextAt(number: Int, bytes: Array[Byte], from: Int, length: Int): Boolean =
    length <= LittleEndian.Few || isAt(number, bytes, from, length)

  private def store(bytes: Array[Byte], from: Int, length: Int): Unit = {
    if (size == ends.length) ends = Arrays.copyOf(ends, size * 2)
    val at = start(size)
    if (texts.length - at < length)
      texts = Arrays.copyOf(texts, Math.addExact(at, math.max(length, at)))
    System.arraycopy(bytes, from, texts, at, length)
    ends(size) = at + length
  }

  private def addPlain(bytes: Array[Byte], from: Int, length: Int): Unit =
    if (withDifferences) {
      page(reserve(length), bytes, from, length)
      if (told == lengths.length) lengths = Arrays.copyOf(lengths, told * 2)
      lengths(told) = length
      told += 1
    } else {
      val at = reserve(4 + length)
      page(at, length)
      page(at + 4, bytes, from, length)
    }

  override protected def encodePlain(
      plain: Array[Byte],
      length: Int,
      sizeOf: BytesInput => Long
  ): (BytesInput, Encoding) =
    if (!withDifferences) super.encodePlain(plain, length, sizeOf)
    else {
      val bytes = BytesInput.concat(differences.of(lengths, told), BytesInput.from(plain, 0, length))
      (bytes, Encoding.DELTA_LENGTH_BYTE_ARRAY)
    }

  override def areLong: Boolean = withDifferences && told > 0 && texted / told >= PageTexts.LongOnAverage

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
    // Most texts are between the bounds, which their beginning tells.
    val begin = Texts.comparable(bytes, from, length)
    def order(bound: Array[Byte], boundLength: Int) =
      Texts.compare(bytes, from, length, bound, 0, boundLength)
    if (!hasBounds || begin <= beginOfLeast && order(least, leastLength) < 0) {
      if (least.length < length) least = new Array[Byte](length * 2)
      System.arraycopy(bytes, from, least, 0, length)
      leastLength = length
      beginOfLeast = begin
    }
    if (!hasBounds || begin >= beginOfMost && order(most, mostLength) > 0) {
      if (most.length < length) most = new Array[Byte](length * 2)
      System.arraycopy(bytes, from, most, 0, length)
      mostLength = length
      beginOfMost = begin
    }
    hasBounds = true
  }

  override def statistics(nulls: Long): Statistics[_] = {
    val bounds =
      Option.when(hasBounds)((Arrays.copyOf(least, leastLength), Arrays.copyOf(most, mostLength)))
    PageValues.statistics(primitive, nulls, bounds)
  }

  override def textBytes: Long = texted
  protected def handToPlain(number: Int): Unit = addPlain(texts, start(number), ends(number) - start(number))
  protected def clearDictionary(): Unit = {
    if (texts.length > PageValues.Kept) texts = new Array[Byte](1024)
    Arrays.fill(recent, -1)
  }
  protected def clearBounds(): Unit = {
    hasBounds = false
    if (math.max(least.length, most.length) > PageValues.Kept) {
      least = new Array[Byte](32)
      most = new Array[Byte](32)
    }
    texted = 0
    told = 0
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

  private final val Long = 128
  private final val SmallCache = 4

  /** Of shorter ones a frame would hold so many that nearly every frame had one that is wanted. */
  private final val LongOnAverage = 32

  /** A text of a few bytes is its own key, with its length; those of longer ones are hashes, which others may share. */
  private def keyOf(bytes: Array[Byte], from: Int, length: Int): Long =
    if (length <= LittleEndian.Few) length.toLong << 56 | LittleEndian.few(bytes, from, length)
    else 1L << 63 | Hash.word(bytes, from, length)
}
