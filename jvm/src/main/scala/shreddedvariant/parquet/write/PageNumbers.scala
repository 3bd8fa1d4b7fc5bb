/** The values of leaves of integers, floating-point numbers and booleans. */
package shreddedvariant.parquet.write

import java.util.Arrays

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.schema.PrimitiveType
import shreddedvariant.parquet.page.PackedDifferences

/** Numbers of `width` bytes, identified by their bits. */
private[parquet] abstract class PageBits(width: Int, maxDictionary: Int) extends PageValues(maxDictionary) {
  private var values = new Array[Long](64)

  /** Adds a number to the statistics of the page. */
  protected def include(value: Long): Unit

  override def add(bytes: Array[Byte], from: Int, length: Int): Unit =
    throw new IllegalStateException("a number is no text")

  override def add(value: Long): Unit = {
    include(value)
    if (!isDictionary) {
      addPlain(value)
      plainBytes += width
    } else {
      // A number is its own key.
      var slot = slotOf(value)
      var number = numberAt(slot)
      while (number >= 0 && !isKeyAt(slot, value)) {
        slot = slotAfter(slot)
        number = numberAt(slot)
      }
      if (number >= 0) addNumber(number, width)
      else {
        if (size == values.length) values = Arrays.copyOf(values, size * 2)
        values(size) = value
        addNew(slot, value, width)
      }
    }
  }

  private def addPlain(value: Long): Unit = {
    val position = reserve(width)
    if (width == 4) page(position, value.toInt) else page(position, value)
  }

  override def textBytes: Long = 0
  protected def boundedBy(numbers: Array[Int], count: Int): Unit = ()
  protected def handToPlain(number: Int): Unit = addPlain(values(number))
  protected def clearDictionary(): Unit = ()
  protected def encodeDictionary(size: Int): Array[Byte] = encoded(Arrays.copyOf(values, size))

  protected final def encoded(values: Array[Long]): Array[Byte] = {
    val bytes = java.nio.ByteBuffer.allocate(width * values.length).order(java.nio.ByteOrder.LITTLE_ENDIAN)
    values.foreach(value => if (width == 4) bytes.putInt(value.toInt) else bytes.putLong(value))
    bytes.array
  }
}

private[parquet] final class PageNumbers(
    primitive: PrimitiveType,
    width: Int,
    maxDictionary: Int,
    withDifferences: Boolean
) extends PageBits(width, maxDictionary) {
  private var min = Long.MaxValue
  private var max = Long.MinValue

  // Whether DELTA_BINARY_PACKED is used, decided by the first page. It may be a little larger, since it is
  // faster to skip.
  private var isDelta = Option.when(!withDifferences)(false)
  private lazy val differences = new PackedDifferences

  override protected def encodePlain(
      plain: Array[Byte],
      length: Int,
      sizeOf: BytesInput => Long
  ): (BytesInput, Encoding) = {
    def plainPage = super.encodePlain(plain, length, sizeOf)
    def deltaPage = differences.ofPlain(plain, length, width)
    if (isDelta.isEmpty)
      isDelta = Some(sizeOf(deltaPage) <= sizeOf(plainPage._1) * PageNumbers.MaxSizeRatio)
    if (isDelta.get) (deltaPage, Encoding.DELTA_BINARY_PACKED) else plainPage
  }

  protected def include(value: Long): Unit = {
    if (value < min) min = value
    if (value > max) max = value
  }

  override def statistics(nulls: Long): Statistics[_] =
    PageValues.statistics(
      primitive,
      nulls,
      Option.when(min <= max)((encoded(Array(min)), encoded(Array(max))))
    )

  protected def clearBounds(): Unit = {
    min = Long.MaxValue
    max = Long.MinValue
  }
}

private[parquet] object PageNumbers {
  private final val MaxSizeRatio = 1.05
}

/** FLOAT and DOUBLE values. Parquet's own statistics handle NaN and the two zeros. */
private[parquet] final class PageFractions(primitive: PrimitiveType, width: Int, maxDictionary: Int)
    extends PageBits(width, maxDictionary) {
  private var pageStatistics: Statistics[_] = Statistics.createStats(primitive)

  protected def include(value: Long): Unit =
    if (width == 4) pageStatistics.updateStats(java.lang.Float.intBitsToFloat(value.toInt))
    else pageStatistics.updateStats(java.lang.Double.longBitsToDouble(value))

  override def statistics(nulls: Long): Statistics[_] = {
    pageStatistics.incrementNumNulls(nulls)
    pageStatistics
  }

  protected def clearBounds(): Unit = pageStatistics = Statistics.createStats(primitive)
}

/** Booleans as bits, the first in the lowest bit. */
private[parquet] final class PageBooleans(primitive: PrimitiveType)
    extends PageValues(0, hasDictionary = false) {
  private var bits = 0
  private var bitCount = 0
  private var position = 0
  private var hasFalse = false
  private var hasTrue = false

  override def add(bytes: Array[Byte], from: Int, length: Int): Unit =
    throw new IllegalStateException("a boolean is no text")

  override def add(value: Long): Unit = {
    if (value == 0) hasFalse = true else hasTrue = true
    if (bitCount == 0) {
      position = reserve(1)
      plainBytes += 1
    }
    bits |= value.toInt << bitCount
    page(position, bits.toByte)
    bitCount += 1
    if (bitCount == 8) endByte()
  }

  private def endByte(): Unit = {
    bits = 0
    bitCount = 0
  }

  override def statistics(nulls: Long): Statistics[_] = {
    def bound(value: Boolean) = Array((if (value) 1 else 0).toByte)
    val bounds = Option.when(hasFalse || hasTrue)((bound(!hasFalse), bound(hasTrue)))
    PageValues.statistics(primitive, nulls, bounds)
  }

  override def textBytes: Long = 0
  protected def clearBounds(): Unit = {
    hasFalse = false
    hasTrue = false
    endByte()
  }
  protected def boundedBy(numbers: Array[Int], count: Int): Unit = ()
  protected def handToPlain(number: Int): Unit = ()
  protected def clearDictionary(): Unit = ()
  protected def encodeDictionary(size: Int): Array[Byte] = Array.empty
}
