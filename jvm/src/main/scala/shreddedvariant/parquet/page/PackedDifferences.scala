/** Encodes numbers as DELTA_BINARY_PACKED with Parquet's own writers. */
package shreddedvariant.parquet.page

import org.apache.parquet.bytes.{BytesInput, HeapByteBufferAllocator}
import org.apache.parquet.column.values.delta.{
  DeltaBinaryPackingValuesWriterForInteger,
  DeltaBinaryPackingValuesWriterForLong
}
import shreddedvariant.binary.LittleEndian

/** The returned bytes are valid until the next call. */
private[parquet] final class PackedDifferences {
  private lazy val ints = new DeltaBinaryPackingValuesWriterForInteger(
    PackedDifferences.Slab,
    PackedDifferences.MaxSlab,
    new HeapByteBufferAllocator
  )
  private lazy val longs = new DeltaBinaryPackingValuesWriterForLong(
    PackedDifferences.Slab,
    PackedDifferences.MaxSlab,
    new HeapByteBufferAllocator
  )

  /** Encodes numbers in PLAIN encoding of `width` bytes each. */
  def ofPlain(plain: Array[Byte], length: Int, width: Int): BytesInput = {
    val packed = if (width == 4) ints else longs
    packed.reset()
    var offset = 0
    while (offset < length) {
      if (width == 4) ints.writeInteger(LittleEndian.int(plain, offset))
      else longs.writeLong(LittleEndian.long(plain, offset))
      offset += width
    }
    packed.getBytes
  }

  def of(numbers: Array[Int], count: Int): BytesInput = {
    ints.reset()
    var i = 0
    while (i < count) {
      ints.writeInteger(numbers(i))
      i += 1
    }
    ints.getBytes
  }
}

private[parquet] object PackedDifferences {
  private final val Slab = 4 * 1024
  private final val MaxSlab = 256 * 1024
}
