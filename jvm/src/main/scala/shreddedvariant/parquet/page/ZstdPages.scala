/**
 * Compresses and decompresses pages with zstd, each in one call.
 *
 * Parquet's codec opens a stream for each page, whose tables are those of a long stream; of the pages of a shredded
 * variant most are a few bytes of levels. With its size known, a page gets tables of its size, and is decompressed into
 * the array that it ends in. The frames are ordinary.
 */
package shreddedvariant.parquet.page

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
  private val target = new PageTarget

  override def getDecompressor(codec: CompressionCodecName): BytesInputDecompressor =
    if (codec != CompressionCodecName.ZSTD) others.getDecompressor(codec)
    else {
      if (zstd == null) zstd = new ZstdDecompressor(target)
      zstd
    }

  /** Lets the page that is read be decompressed into a buffer, all of it or only what somebody needs. */
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

/** Where the next page goes. */
private[parquet] final class PageTarget {
  var buffer: Option[PageBuffer] = None
  var inParts = false
}

private[parquet] final class ZstdDecompressor(target: PageTarget) extends BytesInputDecompressor {
  private val context = new ZstdDecompressCtx

  override def decompress(page: BytesInput, size: Int): BytesInput = {
    check(page.size, size)
    val to = target.buffer.fold(new Array[Byte](size))(_.ofSize(size))
    val from = page.toByteBuffer(new HeapByteBufferAllocator, _ => ())
    val source = if (from.hasArray) from.array else copied(from, from.remaining)
    val start = if (from.hasArray) from.arrayOffset + from.position() else 0
    def frames = PageFrames.of(source, start, from.remaining, size, fill(source, _, _, to, _, _))
    target.buffer.filter(_ => target.inParts).flatMap(buffer => frames.map(buffer.fillBy)).getOrElse {
      fill(source, start, from.remaining, to, 0, size)
    }
    BytesInput.from(to, 0, size)
  }

  override def decompress(page: ByteBuffer, length: Int, to: ByteBuffer, size: Int): Unit = {
    check(length.toLong, size)
    val bytes = new Array[Byte](size)
    fill(copied(page, length), 0, length, bytes, 0, size)
    page.position(page.position() + length)
    to.put(bytes)
    ()
  }

  override def release(): Unit = context.close()

  /** Law: a block of zstd takes four bytes at least, if it holds any, and holds no more than 128 KiB. */
  private def check(length: Long, size: Int): Unit =
    if (size < 0 || size > length / 4 * ZstdDecompressor.MostOfBlock)
      throw new ParquetDecodingException(s"a page of zstd of $length bytes cannot have $size")

  private def copied(page: ByteBuffer, length: Int) = {
    val bytes = new Array[Byte](length)
    page.duplicate().get(bytes)
    bytes
  }

  private def fill(from: Array[Byte], start: Int, length: Int, to: Array[Byte], at: Int, size: Int): Unit = {
    val found =
      try context.decompressByteArray(to, at, size, from, start, length)
      catch {
        case e: ZstdException => throw new ParquetDecodingException(s"a page of zstd: ${e.getMessage}", e)
      }
    if (found != size)
      throw new ParquetDecodingException(s"a page of zstd has $found bytes, and not $size")
  }
}

private[parquet] object ZstdDecompressor {
  private final val MostOfBlock = 128L * 1024
}

/** How the pages of a file are compressed. */
private[parquet] trait PageCompression {

  /** About what some bytes will take. */
  def sizeOf(bytes: BytesInput): Long

  /** Says whose page is written, and whether it has long texts. */
  def of(column: ColumnDescriptor, ofLongTexts: Boolean)(writePage: => Unit): Unit
}

/** By one of Parquet's own codecs. */
private[parquet] final class PlainCompression(codec: BytesInputCompressor) extends PageCompression {
  override def sizeOf(bytes: BytesInput): Long = codec.compress(bytes).size
  override def of(column: ColumnDescriptor, ofLongTexts: Boolean)(writePage: => Unit): Unit = writePage
}

/**
 * Compresses each column with the level that suits it, and pages of long texts in several frames.
 *
 * A higher level looks for shorter repetitions. In hashes, identifiers and numbers without any, those that it finds by
 * chance cost more than they save, and the time for looking: there the lowest level makes the smaller page, and in half
 * the time. So a part of the first large page of a column is compressed with each of `levels`, the quickest first, and a
 * later one has to make it smaller by a fiftieth.
 *
 * Of frames readers need only decompress those that hold what they want ([[PageFrames]]). What repeats in another frame
 * is not found, so the first page of a column tells whether its texts are of a kind that bears it: a fortieth at most.
 */
private[parquet] final class ZstdCompressor(levels: Seq[Int]) extends BytesInputCompressor
    with PageCompression {
  private val known = levels.map(new ZstdLevel(_)).toArray
  private val chosen = mutable.Map.empty[ColumnDescriptor, ZstdLevel]
  private val framed = mutable.Map.empty[ColumnDescriptor, Option[Int]]
  private var column: Option[ColumnDescriptor] = None
  private var isOfFrames = false
  private val source = new OpenBytes
  private var target = new Array[Byte](1024)

  /** Of pages that nobody tells of, each is tried by itself. */
  override def of(column: ColumnDescriptor, ofLongTexts: Boolean)(writePage: => Unit): Unit = {
    this.column = Some(column)
    isOfFrames = ofLongTexts
    try writePage
    finally {
      this.column = None
      isOfFrames = false
    }
  }

  override def sizeOf(page: BytesInput): Long = {
    hold(page)
    compress(known.head.ofPage, source.bytes, 0, source.size).toLong
  }

  /** What is compressed lasts until the next page, as with Parquet's own codecs: whoever writes it copies it. */
  override def compress(page: BytesInput): BytesInput = {
    hold(page)
    val (bytes, length) = (source.bytes, source.size)
    val level = levelFor(bytes, length)
    val size = frameOf(level, bytes, length) match {
      case Some(frame) => compressInFrames(level, bytes, length, frame)
      case None => compress(level.ofPage, bytes, 0, length)
    }
    BytesInput.from(target, 0, size)
  }

  private def hold(page: BytesInput): Unit = {
    source.reset()
    page.writeAllTo(source)
    val frames = source.size / ZstdCompressor.Frames.min + 1
    val most = Math.toIntExact(Zstd.compressBound(source.size.toLong) + frames * ZstdCompressor.MostOfHeader)
    if (target.length < most) target = new Array[Byte](most)
  }

  private def frameOf(level: ZstdLevel, page: Array[Byte], length: Int): Option[Int] = {
    def borne = {
      val whole = compress(level.ofPage, page, 0, length)
      ZstdCompressor.Frames.find { frame =>
        compressInFrames(level, page, length, frame) <= whole * ZstdCompressor.Cost
      }
    }
    column.filter(_ => isOfFrames && length > 2 * ZstdCompressor.Frames.max)
      .flatMap(framed.getOrElseUpdate(_, borne))
  }

  private def levelFor(page: Array[Byte], length: Int): ZstdLevel =
    if (known.length == 1 || length < ZstdCompressor.ValueSource) known.last
    else {
      val part = ZstdCompressor.partOf(length)
      // The end has values, where the beginning may have nothing but levels.
      def best = known.map(l => l -> compress(l.ofPage, page, length - part, part)).reduceLeft { (a, b) =>
        if (b._2 < a._2 * ZstdCompressor.Gain) b else a
      }._1
      column.fold(best)(chosen.getOrElseUpdate(_, best))
    }

  private def compressInFrames(level: ZstdLevel, bytes: Array[Byte], length: Int, frame: Int): Int = {
    var from = 0
    var size = 0
    while (from < length) {
      // No short one at the end.
      val left = length - from
      val next = if (left < 2 * frame) left else frame
      size += level.ofFrame.compressByteArray(target, size, target.length - size, bytes, from, next)
      from += next
    }
    size
  }

  private def compress(context: ZstdCompressCtx, bytes: Array[Byte], from: Int, length: Int): Int =
    context.compressByteArray(target, 0, target.length, bytes, from, length)

  override def getCodecName: CompressionCodecName = CompressionCodecName.ZSTD
  override def release(): Unit = known.foreach(_.close())
}

/**
 * A level of zstd as it compresses a page, and a frame of one. The lowest looks for short repetitions where there is little
 * to look in, and finds them by chance: in a frame it is told to look for such as it does in a page.
 */
private[parquet] final class ZstdLevel(level: Int) {
  val ofPage: ZstdCompressCtx = new ZstdCompressCtx().setLevel(level)
  val ofFrame: ZstdCompressCtx = new ZstdCompressCtx().setLevel(level)
  if (level == 1) ofFrame.setMinMatch(ZstdLevel.MinMatch)

  def close(): Unit = {
    ofPage.close()
    ofFrame.close()
  }
}

private[parquet] object ZstdLevel {
  private final val MinMatch = 6
}

/** Bytes that can be looked at where they are. */
private[parquet] final class OpenBytes extends ByteArrayOutputStream {
  def bytes: Array[Byte] = buf
}

private[parquet] object ZstdCompressor {

  /** What is tried of a page; of a large one more, since it may repeat what stood long before, as maps of many keys do. */
  private final val ValueSource = 32 * 1024
  private final val MostOfPart = 512 * 1024
  private def partOf(length: Int) =
    if (length < 8 * ValueSource) ValueSource else math.min(length / 2, MostOfPart)

  private final val Gain = 0.98

  /** Bytes of a page in a frame, the smallest that the page bears. Up to 16 KiB zstd takes tables in which it finds less. */
  val Frames: Seq[Int] = Seq(8 * 1024, 17 * 1024)
  private final val Cost = 1.025
  private final val MostOfHeader = 64
}
