/** The codecs that decompress pages: our own for zstd and Hadoop's LZ4, Parquet's for the others. */
package shreddedvariant.parquet.page

import java.nio.{ByteBuffer, ByteOrder}

import scala.util.control.NonFatal

import net.jpountz.lz4.{LZ4Exception, LZ4Factory}
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.bytes.{BytesInput, HeapByteBufferAllocator}
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.page.{DataPage, PageReadStore, PageReader}
import org.apache.parquet.compression.CompressionCodecFactory
import org.apache.parquet.compression.CompressionCodecFactory.{BytesInputCompressor, BytesInputDecompressor}
import org.apache.parquet.hadoop.CodecFactory
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.io.ParquetDecodingException
import shreddedvariant.Errors

/** Law: a page is decompressed only after [[PageSizes]] says that its bytes can hold the promised size. */
final class PageCodecs(conf: Configuration) extends CompressionCodecFactory {
  private val others = new CodecFactory(conf, 0)
  private var zstd: ZstdDecompressor = _
  private val target = new PageTarget

  override def getDecompressor(codec: CompressionCodecName): BytesInputDecompressor = codec match {
    case CompressionCodecName.ZSTD =>
      if (zstd == null) zstd = new ZstdDecompressor(target)
      zstd
    case CompressionCodecName.LZ4 => Lz4Decompressor
    case CompressionCodecName.UNCOMPRESSED => others.getDecompressor(codec)
    case _ => new CheckedDecompressor(codec, others.getDecompressor(codec))
  }

  /**
   * Decompresses the page that `readPage` reads into `buffer`: whole, or with `inParts` frame by frame on
   * demand.
   */
  def into[A](buffer: PageBuffer, inParts: Boolean = false)(readPage: => A): A = {
    buffer.clear()
    target.buffer = Some(buffer)
    target.inParts = inParts
    try readPage
    finally target.buffer = None
  }

  override def getCompressor(codec: CompressionCodecName): BytesInputCompressor = others.getCompressor(codec)

  override def release(): Unit = {
    if (zstd != null) zstd.release()
    zstd = null
    others.release()
  }
}

/** A decompressor of whole pages, which has nothing to release. */
private[parquet] abstract class WholePageDecompressor extends BytesInputDecompressor {
  override def decompress(page: ByteBuffer, length: Int, to: ByteBuffer, size: Int): Unit = {
    val bytes = BytesInput.from(page.slice(page.position(), length))
    to.put(decompress(bytes, size).toInputStream.readAllBytes())
    page.position(page.position() + length)
    ()
  }

  override def release(): Unit = ()
}

/**
 * Parquet's decompressor, which allocates the promised size before it decompresses. The factory owns and
 * releases it.
 */
private[parquet] final class CheckedDecompressor(codec: CompressionCodecName, pages: BytesInputDecompressor)
    extends WholePageDecompressor {
  override def decompress(page: BytesInput, size: Int): BytesInput = {
    PageSizes.check(codec, page.size, size.toLong)
    // The decompressor returns a stream: its errors must not appear later, in a reader of the page.
    try {
      if (codec == CompressionCodecName.SNAPPY) PageSizes.checkSnappy(page.toInputStream, page.size)
      BytesInput.from(pages.decompress(page, size).toInputStream.slice(size))
    } catch {
      case e: ParquetDecodingException => throw e
      case NonFatal(e) => throw new ParquetDecodingException(s"a page in $codec: ${Errors.reason(e)}", e)
    }
  }

}

/**
 * The codec LZ4 of Parquet, which has the blocks of Hadoop:
 *
 * {{{
 *   size of a block (4 bytes, big-endian) │ size of compressed bytes (4, big-endian) │ compressed bytes │ …
 * }}}
 *
 * Compressed bytes follow until the block is full. Hadoop's decompressor allocates the stated sizes unchecked.
 */
private[parquet] object Lz4Decompressor extends WholePageDecompressor {
  private val lz4 = LZ4Factory.fastestInstance().safeDecompressor()

  override def decompress(page: BytesInput, size: Int): BytesInput = {
    PageSizes.check(CompressionCodecName.LZ4, page.size, size.toLong)
    val from = page.toByteBuffer(new HeapByteBufferAllocator, _ => ()).slice().order(ByteOrder.BIG_ENDIAN)
    val to = ByteBuffer.allocate(size)
    while (to.hasRemaining) {
      val end = to.position() + number(from, to.remaining)
      while (to.position() < end) part(from, number(from, from.remaining - 4), to, end)
    }
    BytesInput.from(to.flip())
  }

  private def number(from: ByteBuffer, max: Int): Int = {
    val number = if (from.remaining < 4) -1 else from.getInt()
    if (number < 1 || number > max)
      throw new ParquetDecodingException("a block of LZ4 does not fit its page")
    number
  }

  private def part(from: ByteBuffer, length: Int, to: ByteBuffer, end: Int): Unit =
    try {
      val produced = lz4.decompress(from, from.position(), length, to, to.position(), end - to.position())
      if (produced == 0) throw new ParquetDecodingException("an LZ4 block without bytes")
      from.position(from.position() + length)
      to.position(to.position() + produced)
      ()
    } catch {
      case e: LZ4Exception => throw new ParquetDecodingException(s"an LZ4 page: ${e.getMessage}", e)
    }
}

/**
 * The pages of a leaf in a row group, each decompressed into `buffer` over the previous one. With `inParts`,
 * only the needed frames of a page are decompressed.
 */
private[parquet] final class BufferedPages(
    pages: PageReadStore,
    codecs: PageCodecs,
    buffer: PageBuffer,
    inParts: Boolean
) extends WrappedPages(pages) {
  override protected def dataPage(reader: PageReader, column: ColumnDescriptor): DataPage =
    codecs.into(buffer, inParts)(reader.readPage())
}
