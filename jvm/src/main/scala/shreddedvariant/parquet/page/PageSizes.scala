/**
 * How many bytes a compressed page can hold at most, so that no memory is allocated for a size that a page
 * header promises and the page cannot hold.
 */
package shreddedvariant.parquet.page

import java.io.InputStream

import org.apache.parquet.bytes.BytesUtils
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.hadoop.metadata.CompressionCodecName._
import org.apache.parquet.io.ParquetDecodingException
import shreddedvariant.binary.LittleEndian

private[parquet] object PageSizes {

  def check(codec: CompressionCodecName, length: Long, size: Long): Unit =
    if (size < 0 || size > length * bytesOfByte(codec)) refuse(codec, length, size)

  /**
   * Law: `length` bytes of a codec hold at most this many times their number of bytes. A copy of Snappy has at
   * most 64 bytes in 3. A copy of deflate has at most 258 bytes in 2 bits. One more byte makes a copy of LZ4 or
   * LZO longer by at most 255. A zstd block takes at least 4 bytes and has at most 128 KiB; a meta-block of
   * Brotli takes at least one byte and has at most 16 MiB.
   */
  private def bytesOfByte(codec: CompressionCodecName): Long = codec match {
    case SNAPPY => 22
    case GZIP => 1032
    case LZ4 | LZ4_RAW | LZO => 255
    case ZSTD => MostOfZstdBlock / 4
    case BROTLI => 1 << 24
    case UNCOMPRESSED => 1
  }

  /** Snappy states the size once more, before the compressed bytes, and decompressors allocate that size. */
  def checkSnappy(page: InputStream, length: Long): Unit =
    if (length > 0) check(SNAPPY, length, BytesUtils.readUnsignedVarInt(page) & 0xffffffffL)

  /** A large page must also have the blocks for its bytes: anything may follow the last frame. */
  def checkZstd(bytes: Array[Byte], start: Int, length: Int, size: Int): Unit = {
    check(ZSTD, length.toLong, size.toLong)
    if (size > LargePage && size > zstdBound(bytes, start, length)) refuse(ZSTD, length.toLong, size.toLong)
  }

  private def refuse(codec: CompressionCodecName, length: Long, size: Long) =
    throw new ParquetDecodingException(s"a page of $length bytes in ${codec.name} cannot hold $size bytes")

  private final val LargePage = 1 << 20
  private final val MostOfZstdBlock = 128L * 1024

  /**
   * The sum of what the blocks of all frames can hold, by their headers. Bytes that are no frame end the sum.
   *
   * {{{
   *   magic number (4) │ descriptor (1) │ window (0 or 1) │ dictionary (0 to 4) │ content size (0 to 8)
   *   header (3): last block? (1 bit), type (2), size (21) │ content    for each block │ checksum (0 or 4)
   * }}}
   */
  private def zstdBound(bytes: Array[Byte], start: Int, length: Int): Long = {
    val end = start.toLong + length
    var at = start.toLong
    var sum = 0L
    def byte(offset: Long) = bytes(offset.toInt) & 0xff
    while (end - at >= MinFrame) {
      val magic = LittleEndian.int(bytes, at.toInt)
      if ((magic & 0xfffffff0) == SkippableMagic)
        at += 8 + (LittleEndian.int(bytes, at.toInt + 4) & 0xffffffffL)
      else if (magic != ZstdMagic) at = end
      else {
        val descriptor = byte(at + 4)
        val isSingle = (descriptor & 0x20) != 0
        val dictionary = (1 << (descriptor & 3)) >> 1
        val content = if (descriptor >> 6 == 0) (if (isSingle) 1 else 0) else 1 << (descriptor >> 6)
        at += 5 + (if (isSingle) 0 else 1) + dictionary + content
        var isLast = false
        while (!isLast && end - at >= 3) {
          val header = byte(at) | byte(at + 1) << 8 | byte(at + 2) << 16
          val size = header >> 3
          isLast = (header & 1) == 1
          (header >> 1 & 3) match {
            case 0 => sum += size; at += 3 + size
            case 1 => sum += math.min(size.toLong, MostOfZstdBlock); at += 4
            case 2 => sum += MostOfZstdBlock; at += 3 + size
            case _ => at = end
          }
        }
        if ((descriptor & 4) != 0) at += 4
      }
    }
    sum
  }

  /** The smallest frame: magic number, descriptor, one byte, and the header of an empty block. */
  private final val MinFrame = 9
  private final val ZstdMagic = 0xfd2fb528
  private final val SkippableMagic = 0x184d2a50
}
