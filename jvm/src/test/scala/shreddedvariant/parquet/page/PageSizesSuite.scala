/** A page promises at most what its compressed bytes can hold, or it is refused before memory is allocated. */
package shreddedvariant.parquet.page

import java.nio.ByteBuffer

import scala.util.Random

import com.github.luben.zstd.Zstd
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.hadoop.CodecFactory
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.hadoop.metadata.CompressionCodecName._
import org.apache.parquet.io.ParquetDecodingException
import shreddedvariant.AllocatedBytes

class PageSizesSuite extends shreddedvariant.Suite {
  private val conf = new Configuration(false)

  /** The codecs that Spark writes without further libraries. */
  private val written = Seq(SNAPPY, GZIP, LZ4, LZ4_RAW, ZSTD)

  private def compressed(codec: CompressionCodecName, bytes: Array[Byte]): Array[Byte] = {
    val codecs = new CodecFactory(conf, 1 << 20)
    try codecs.getCompressor(codec).compress(BytesInput.from(bytes: Array[Byte])).toInputStream.readAllBytes()
    finally codecs.release()
  }

  private def decompressed(codec: CompressionCodecName, page: Array[Byte], size: Int): Array[Byte] = {
    val codecs = new PageCodecs(conf)
    try codecs.getDecompressor(codec).decompress(
        BytesInput.from(page: Array[Byte]),
        size
      ).toInputStream.readAllBytes()
    finally codecs.release()
  }

  private def refused(codec: CompressionCodecName, page: Array[Byte], size: Int): String = {
    val (e, bytes) = AllocatedBytes.of(intercept[ParquetDecodingException](decompressed(codec, page, size)))
    assert(bytes < (32 << 20), s"$bytes bytes were allocated")
    e.getMessage
  }

  for (codec <- written) {
    test(s"pages of constants are read however well they are compressed: $codec") {
      for (size <- Seq(0, 1, 7, 64, 1000, 1 << 16, (1 << 18) + 5, 1 << 25)) {
        val page = Array.fill(size)(42.toByte)
        assert(decompressed(codec, compressed(codec, page), size).sameElements(page), s"$size bytes")
      }
    }

    test(s"pages of texts are read: $codec") {
      val random = new Random(5)
      for (size <- Seq(10, 5000, 1 << 20)) {
        val page = Array.tabulate(size)(i => if (i % 3 == 0) random.nextInt().toByte else (i / 100).toByte)
        assert(decompressed(codec, compressed(codec, page), size).sameElements(page), s"$size bytes")
      }
    }

    test(s"a page that promises more than its bytes can hold is refused before memory is allocated: $codec") {
      val page = compressed(codec, Array.fill(12)(1.toByte))
      for (size <- Seq(Int.MaxValue, 1 << 30, -1, Int.MinValue)) {
        val message = refused(codec, page, size)
        assert(message.contains(s"in $codec cannot hold $size bytes"), message)
      }
    }
  }

  test("a size that Snappy states is not allocated if the page cannot hold it") {
    val page = Array[Byte](-1, -1, -1, -1, 7) ++ compressed(SNAPPY, Array.fill(12)(1.toByte)).drop(1)
    assert(refused(SNAPPY, page, 12).contains("cannot hold 2147483647 bytes"))
  }

  test("sizes of LZ4 blocks are not allocated if the page does not hold them") {
    val page = compressed(LZ4, Array.fill(12)(1.toByte))
    for (offset <- Seq(0, 4); size <- Seq(Int.MaxValue, -1, 0)) {
      val damaged = page.patch(offset, ByteBuffer.allocate(4).putInt(size).array, 4)
      assertEquals(refused(LZ4, damaged, 12), "a block of LZ4 does not fit its page")
    }
  }

  test("bytes after the last zstd block promise nothing") {
    val page = Zstd.compress(Array.fill(12)(1.toByte))
    val skippable = Array[Byte](0x50, 0x2a, 0x4d, 0x18, 0, 0, 2, 0) ++ new Array[Byte](1 << 17)
    for (padding <- Seq(new Array[Byte](70000), new Random(3).nextBytes(70000), skippable, skippable ++ page))
      assert(refused(ZSTD, page ++ padding, Int.MaxValue).contains("cannot hold 2147483647 bytes"))
  }

  test("a large zstd page of several frames, with skippable frames, is read") {
    val size = 3 << 20
    val frame = Zstd.compress(new Array[Byte](size))
    val skippable = Array[Byte](0x5f, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3)
    val page = skippable ++ frame ++ skippable ++ frame
    assert(decompressed(ZSTD, page, 2 * size).forall(_ == 0))
  }
}
