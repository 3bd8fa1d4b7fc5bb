/**
 * Compresses and decompresses pages with zstd, each in one call.
 *
 * Parquet's codec opens a stream for each page, whose tables are those of a long stream; of the pages of a shredded
 * variant most are a few bytes of levels. With its size known, a page gets tables of its size, and is decompressed into
 * the array that it ends in. The frames are ordinary.
 */
package shreddedvariant.parquet

import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer

import scala.collection.mutable

import com.github.luben.zstd.{Zstd, ZstdCompressCtx, ZstdDecompressCtx, ZstdException}
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.bytes.{BytesInput, HeapByteBufferAllocator}
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.compression.CompressionCodecFactory
import org.apache.parquet.compression.CompressionCodecFactory.{BytesInputCompressor, BytesInputDecompressor}
import org.apache.parquet.hadoop.CodecFactory
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.io.ParquetDecodingException

/** Codecs to read with: zstd is ours, the others are Parquet's. */
final class PageCodecs(conf: Configuration) extends CompressionCodecFactory {
  private val others = new CodecFactory(conf, 0)
  private var zstd: ZstdDecompressor = _
  private var buffer: PageBuffer = _

  override def getDecompressor(codec: CompressionCodecName): BytesInputDecompressor =
    if (codec != CompressionCodecName.ZSTD) others.getDecompressor(codec)
    else {
      if (zstd == null) zstd = new ZstdDecompressor(arrayFor)
      zstd
    }

  /** Lets the page that is read be decompressed into a buffer. */
  def into[A](buffer: PageBuffer)(readPage: => A): A = {
    this.buffer = buffer
    try readPage
    finally this.buffer = null
  }

  private def arrayFor(size: Int): Array[Byte] =
    if (buffer == null) new Array[Byte](size) else buffer.ofSize(size)

  override def getCompressor(codec: CompressionCodecName): BytesInputCompressor = others.getCompressor(codec)

  override def release(): Unit = {
    if (zstd != null) zstd.release()
    zstd = null
    others.release()
  }
}

private final class ZstdDecompressor(arrayFor: Int => Array[Byte]) extends BytesInputDecompressor {
  private val context = new ZstdDecompressCtx

  override def decompress(page: BytesInput, size: Int): BytesInput = {
    val to = arrayFor(size)
    val from = page.toByteBuffer(new HeapByteBufferAllocator, _ => ())
    fill(to, size, from, from.remaining)
    BytesInput.from(to, 0, size)
  }

  override def decompress(page: ByteBuffer, length: Int, to: ByteBuffer, size: Int): Unit = {
    val bytes = new Array[Byte](size)
    fill(bytes, size, page, length)
    page.position(page.position() + length)
    to.put(bytes)
    ()
  }

  override def release(): Unit = context.close()

  private def fill(to: Array[Byte], size: Int, from: ByteBuffer, length: Int): Unit = {
    val found =
      try
        if (from.hasArray)
          context.decompressByteArray(
            to,
            0,
            size,
            from.array,
            from.arrayOffset + from.position(),
            length
          )
        else {
          val copy = new Array[Byte](length)
          from.duplicate().get(copy)
          context.decompressByteArray(to, 0, size, copy, 0, length)
        }
      catch {
        case e: ZstdException => throw new ParquetDecodingException(s"a page of zstd: ${e.getMessage}", e)
      }
    if (found != size)
      throw new ParquetDecodingException(s"a page of zstd has $found bytes, and not $size")
  }
}

/**
 * Compresses each column with the level that suits it.
 *
 * A higher level looks for shorter repetitions. In hashes, identifiers and numbers without any, those that it finds by
 * chance cost more than they save, and the time for looking: there the lowest level makes the smaller page, and in half
 * the time. So a part of the first large page of a column is compressed with each of `levels`, the quickest first, and a
 * later one has to make it smaller by a fiftieth.
 */
private final class ZstdCompressor(levels: Seq[Int]) extends BytesInputCompressor {
  private val contexts = levels.map(level => new ZstdCompressCtx().setLevel(level)).toArray
  private val chosen = mutable.Map.empty[ColumnDescriptor, ZstdCompressCtx]
  private var column: Option[ColumnDescriptor] = None
  private val source = new OpenBytes
  private var target = new Array[Byte](1024)

  /** Says whose page is written. Of other pages each is tried by itself. */
  def of(column: ColumnDescriptor)(writePage: => Unit): Unit = {
    this.column = Some(column)
    try writePage
    finally this.column = None
  }

  /** What is compressed lasts until the next page, as with Parquet's own codecs: whoever writes it copies it. */
  override def compress(page: BytesInput): BytesInput = {
    source.reset()
    page.writeAllTo(source)
    val (bytes, length) = (source.bytes, source.size)
    val most = Math.toIntExact(Zstd.compressBound(length.toLong))
    if (target.length < most) target = new Array[Byte](most)
    BytesInput.from(target, 0, compress(contextFor(bytes, length), bytes, 0, length))
  }

  private def contextFor(page: Array[Byte], length: Int): ZstdCompressCtx =
    if (contexts.length == 1 || length < ZstdCompressor.Part) contexts.last
    else {
      // The end has values, where the beginning may have nothing but levels.
      val part = length - ZstdCompressor.Part
      def best = contexts.map(c => c -> compress(c, page, part, ZstdCompressor.Part)).reduceLeft { (a, b) =>
        if (b._2 < a._2 * ZstdCompressor.Gain) b else a
      }._1
      column.fold(best)(chosen.getOrElseUpdate(_, best))
    }

  private def compress(context: ZstdCompressCtx, bytes: Array[Byte], from: Int, length: Int): Int =
    context.compressByteArray(target, 0, target.length, bytes, from, length)

  override def getCodecName: CompressionCodecName = CompressionCodecName.ZSTD
  override def release(): Unit = contexts.foreach(_.close())
}

/** Bytes that can be looked at where they are. */
private final class OpenBytes extends ByteArrayOutputStream {
  def bytes: Array[Byte] = buf
}

private object ZstdCompressor {
  private final val Part = 32 * 1024
  private final val Gain = 0.98
}
