/** Numbers → DELTA_BINARY_PACKED, by Parquet's own writers. */
package shreddedvariant.parquet.page

import org.apache.parquet.bytes.{BytesInput, HeapByteBufferAllocator}
import org.apache.parquet.column.values.delta.{
  DeltaBinaryPackingValuesWriterForInteger,
  DeltaBinaryPackingValuesWriterForLong
}
import shreddedvariant.binary.LittleEndian

/** What was packed lasts until the next time. */
private[parquet] final class PackedDifferences {
  private lazy val ints = new DeltaBinaryPackingValuesWriterForInteger(
    PackedDifferences.Slab,
    PackedDifferences.MostOfSlab,
    new HeapByteBufferAllocator
  )
  private lazy val longs = new DeltaBinaryPackingValuesWriterForLong(
    PackedDifferences.Slab,
    PackedDifferences.MostOfSlab,
    new HeapByteBufferAllocator
  )

  /** Of numbers as PLAIN has them, `width` bytes each. */
  def ofPlain(plain: Array[Byte], length: Int, width: Int): BytesInput =
    if (width == 4) {
      ints.reset()
      var at = 0
      while (at < length) {
        ints.writeInteger(LittleEndian.int(plain, at))
        at += 4
      }
      ints.getBytes
    } else {
      longs.reset()
      var at = 0
      while (at < length) {
        longs.writeLong(LittleEndian.long(plain, at))
        at += 8
      }
      longs.getBytes
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
  private final val MostOfSlab = 256 * 1024
}
