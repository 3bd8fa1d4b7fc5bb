/** Numbers, fractions and booleans of a page. */
package shreddedvariant.parquet.write

import java.util.Arrays

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.schema.PrimitiveType
import shreddedvariant.parquet.page.PackedDifferences

/** Numbers of `width` bytes, known by their bits. */
private[parquet] abstract class PageBits(width: Int, maxDictionary: Int) extends PageValues(maxDictionary) {
  private var values = new Array[Long](64)

  /** Takes a number into the statistics of the page. */
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
    val at = reserve(width)
    if (width == 4) page(at, value.toInt) else page(at, value)
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
  private var least = Long.MaxValue
  private var most = Long.MinValue

  // Whether differences are smaller, which the first page tells; they need not be, since they are quicker to pass over.
  private var arePacked = Option.when(!withDifferences)(false)
  private lazy val differences = new PackedDifferences

  override protected def encodePlain(
      plain: Array[Byte],
      length: Int,
      sizeOf: BytesInput => Long
  ): (BytesInput, Encoding) = {
    def asPlain = super.encodePlain(plain, length, sizeOf)
    def packed = differences.ofPlain(plain, length, width)
    if (arePacked.isEmpty)
      arePacked = Some(sizeOf(packed) <= sizeOf(asPlain._1) * PageNumbers.Cost)
    if (arePacked.get) (packed, Encoding.DELTA_BINARY_PACKED) else asPlain
  }

  protected def include(value: Long): Unit = {
    if (value < least) least = value
    if (value > most) most = value
  }

  override def statistics(nulls: Long): Statistics[_] =
    PageValues.statistics(
      primitive,
      nulls,
      Option.when(least <= most)((encoded(Array(least)), encoded(Array(most))))
    )

  protected def clearBounds(): Unit = {
    least = Long.MaxValue
    most = Long.MinValue
  }
}

private[parquet] object PageNumbers {
  private final val Cost = 1.05
}

/** Floats and doubles. What NaN and the two zeros do to bounds is left to Parquet's own statistics. */
private[parquet] final class PageFractions(primitive: PrimitiveType, width: Int, maxDictionary: Int)
    extends PageBits(width, maxDictionary) {
  private var met: Statistics[_] = Statistics.createStats(primitive)

  protected def include(value: Long): Unit =
    if (width == 4) met.updateStats(java.lang.Float.intBitsToFloat(value.toInt))
    else met.updateStats(java.lang.Double.longBitsToDouble(value))

  override def statistics(nulls: Long): Statistics[_] = {
    met.incrementNumNulls(nulls)
    met
  }

  protected def clearBounds(): Unit = met = Statistics.createStats(primitive)
}

/** Bits, the first one lowest. */
private[parquet] final class PageBooleans(primitive: PrimitiveType)
    extends PageValues(0, hasDictionary = false) {
  private var bits = 0
  private var inBits = 0
  private var at = 0
  private var hasFalse = false
  private var hasTrue = false

  override def add(bytes: Array[Byte], from: Int, length: Int): Unit =
    throw new IllegalStateException("a boolean is no text")

  override def add(value: Long): Unit = {
    if (value == 0) hasFalse = true else hasTrue = true
    if (inBits == 0) {
      at = reserve(1)
      plainBytes += 1
    }
    bits |= value.toInt << inBits
    page(at, bits.toByte)
    inBits += 1
    if (inBits == 8) endByte()
  }

  private def endByte(): Unit = {
    bits = 0
    inBits = 0
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
