/**
 * Values of a column as numbers of distinct values, until these take more than a dictionary page may have.
 *
 * The pages are those that Parquet's own dictionary writers make. What differs is the table behind them: the bytes of
 * all distinct values stand in one array, so a value that was met before costs no object, and one that repeats the
 * value before it (metadata, types, countries) is compared with that one first.
 */
package shreddedvariant.parquet

import java.util.Arrays

import org.apache.parquet.bytes.{ByteBufferAllocator, BytesInput, BytesUtils, CapacityByteArrayOutputStream}
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.page.DictionaryPage
import org.apache.parquet.column.values.{RequiresFallback, ValuesWriter}
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridEncoder
import org.apache.parquet.io.api.Binary
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.hash.Murmur3_x86_32

private abstract class DictionaryWriter(maxBytes: Int, allocator: ByteBufferAllocator)
    extends ValuesWriter
    with RequiresFallback {

  // The number of each value of the page, in the order of the rows.
  private var numbers = new Array[Int](64)
  private var count = 0

  /** The distinct values so far, and what they take in a dictionary page. */
  protected var size = 0
  protected var bytes = 0L

  // As much of the dictionary as finished pages need.
  protected var usedSize = 0
  private var encoder: RunLengthBitPackingHybridEncoder = _

  /** One slot for each distinct value at most half the time: its number + 1, or 0. */
  protected var slots = new Array[Int](128)
  protected var last = -1

  protected def hashOf(number: Int): Int

  /** The distinct values from the first to the last that a page needs, as a dictionary page has them. */
  protected def plain: BytesInput
  protected def handOn(number: Int, writer: ValuesWriter): Unit
  protected def clear(): Unit

  protected final def add(number: Int): Unit = {
    last = number
    if (count == numbers.length) numbers = Arrays.copyOf(numbers, count * 2)
    numbers(count) = number
    count += 1
  }

  /** Takes the value that the slot was free for. */
  protected final def addNew(slot: Int, length: Int): Unit = {
    slots(slot) = size + 1
    size += 1
    bytes += length
    add(size - 1)
    if (size * 2 > slots.length) grow()
  }

  private def grow(): Unit = {
    slots = new Array[Int](slots.length * 2)
    val mask = slots.length - 1
    for (number <- 0 until size) {
      var slot = hashOf(number) & mask
      while (slots(slot) != 0) slot = (slot + 1) & mask
      slots(slot) = number + 1
    }
  }

  override def shouldFallBack: Boolean = bytes > maxBytes
  override def isCompressionSatisfying(raw: Long, encoded: Long): Boolean = encoded + bytes < raw

  override def fallBackAllValuesTo(writer: ValuesWriter): Unit = {
    for (i <- 0 until count) handOn(numbers(i), writer)
    count = 0
    if (usedSize == 0) forget()
  }

  override def getBytes: BytesInput = {
    val width = BytesUtils.getWidthFromMaxInt(size - 1)
    val first = CapacityByteArrayOutputStream.initialSlabSizeHeuristic(64, maxBytes, 10)
    encoder = new RunLengthBitPackingHybridEncoder(width, first, maxBytes, allocator)
    var i = 0
    while (i < count) {
      encoder.writeInt(numbers(i))
      i += 1
    }
    usedSize = size
    BytesInput.concat(BytesInput.from(Array(width.toByte): Array[Byte]), encoder.toBytes)
  }

  override def getEncoding: Encoding = Encoding.RLE_DICTIONARY

  override def toDictPageAndClose: DictionaryPage =
    if (usedSize == 0) null else new DictionaryPage(plain, usedSize, Encoding.PLAIN)

  override def reset(): Unit = {
    close()
    count = 0
  }

  override def close(): Unit = if (encoder != null) {
    encoder.close()
    encoder = null
  }

  override def resetDictionary(): Unit = {
    usedSize = 0
    forget()
  }

  private def forget(): Unit = {
    size = 0
    bytes = 0
    last = -1
    slots = new Array[Int](128)
    clear()
  }

  override def getBufferedSize: Long = count * 4L
  override def getAllocatedSize: Long = numbers.length * 4L + slots.length * 4L + bytes
  override def memUsageString(prefix: String): String = s"$prefix ${getClass.getSimpleName} $bytes bytes"
}

private final class BinaryDictionaryWriter(maxBytes: Int, allocator: ByteBufferAllocator)
    extends DictionaryWriter(maxBytes, allocator) {
  private var texts = new Array[Byte](1024)
  private var ends = new Array[Int](64)
  private var hashes = new Array[Int](64)

  override def writeBytes(value: Binary): Unit = {
    val buffer = value.toByteBuffer
    val array = buffer.array
    val from = buffer.arrayOffset + buffer.position()
    val until = from + buffer.remaining
    if (last >= 0 && isAt(last, array, from, until)) add(last)
    else {
      val hash =
        Murmur3_x86_32.hashUnsafeBytes(array, Platform.BYTE_ARRAY_OFFSET + from.toLong, until - from, 42)
      val mask = slots.length - 1
      var slot = hash & mask
      var number = slots(slot) - 1
      while (number >= 0 && !(hashes(number) == hash && isAt(number, array, from, until))) {
        slot = (slot + 1) & mask
        number = slots(slot) - 1
      }
      if (number >= 0) add(number) else addText(slot, hash, array, from, until - from)
    }
  }

  private def start(number: Int): Int = if (number == 0) 0 else ends(number - 1)

  private def isAt(number: Int, array: Array[Byte], from: Int, until: Int): Boolean =
    Arrays.equals(texts, start(number), ends(number), array, from, until)

  private def addText(slot: Int, hash: Int, array: Array[Byte], from: Int, length: Int): Unit = {
    if (size == ends.length) {
      ends = Arrays.copyOf(ends, size * 2)
      hashes = Arrays.copyOf(hashes, size * 2)
    }
    val at = start(size)
    if (texts.length - at < length) texts = Arrays.copyOf(texts, math.max(texts.length * 2, at + length))
    System.arraycopy(array, from, texts, at, length)
    ends(size) = at + length
    hashes(size) = hash
    addNew(slot, 4 + length)
  }

  protected def hashOf(number: Int): Int = hashes(number)

  protected def plain: BytesInput = {
    val page =
      java.nio.ByteBuffer.allocate(start(usedSize) + 4 * usedSize).order(java.nio.ByteOrder.LITTLE_ENDIAN)
    for (number <- 0 until usedSize) {
      val length = ends(number) - start(number)
      page.putInt(length)
      page.put(texts, start(number), length)
    }
    BytesInput.from(page.array)
  }

  protected def handOn(number: Int, writer: ValuesWriter): Unit =
    writer.writeBytes(Binary.fromReusedByteArray(texts, start(number), ends(number) - start(number)))

  protected def clear(): Unit = {
    texts = new Array[Byte](1024)
    ends = new Array[Int](64)
    hashes = new Array[Int](64)
  }
}

/** Numbers of `width` bytes. */
private final class NumberDictionaryWriter(width: Int, maxBytes: Int, allocator: ByteBufferAllocator)
    extends DictionaryWriter(maxBytes, allocator) {
  private var values = new Array[Long](64)

  override def writeInteger(value: Int): Unit = write(value.toLong)
  override def writeLong(value: Long): Unit = write(value)

  private def write(value: Long): Unit =
    if (last >= 0 && values(last) == value) add(last)
    else {
      val mask = slots.length - 1
      var slot = Murmur3_x86_32.hashLong(value, 42) & mask
      var number = slots(slot) - 1
      while (number >= 0 && values(number) != value) {
        slot = (slot + 1) & mask
        number = slots(slot) - 1
      }
      if (number >= 0) add(number)
      else {
        if (size == values.length) values = Arrays.copyOf(values, size * 2)
        values(size) = value
        addNew(slot, width)
      }
    }

  protected def hashOf(number: Int): Int = Murmur3_x86_32.hashLong(values(number), 42)

  protected def plain: BytesInput = {
    val page = java.nio.ByteBuffer.allocate(width * usedSize).order(java.nio.ByteOrder.LITTLE_ENDIAN)
    for (number <- 0 until usedSize)
      if (width == 4) page.putInt(values(number).toInt) else page.putLong(values(number))
    BytesInput.from(page.array)
  }

  protected def handOn(number: Int, writer: ValuesWriter): Unit =
    if (width == 4) writer.writeInteger(values(number).toInt) else writer.writeLong(values(number))

  protected def clear(): Unit = values = new Array[Long](64)
}
