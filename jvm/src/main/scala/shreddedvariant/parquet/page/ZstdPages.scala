/**
 * Compresses and decompresses pages with zstd, each in one call.
 *
 * Parquet's codec opens a stream for each page, with tables for a long stream, but most pages of a shredded
 * variant are a few bytes of levels. One call with a known size uses tables for that size, and decompresses
 * into the final array. The frames are ordinary zstd frames.
 */
package shreddedvariant.parquet.page

import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer

import scala.collection.mutable

import com.github.luben.zstd.{Zstd, ZstdCompressCtx, ZstdDecompressCtx, ZstdException}
import org.apache.parquet.bytes.{BytesInput, HeapByteBufferAllocator}
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.compression.CompressionCodecFactory.{BytesInputCompressor, BytesInputDecompressor}
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.io.ParquetDecodingException

private[parquet] final class ZstdDecompressor(target: PageTarget) extends BytesInputDecompressor {
  private val context = new ZstdDecompressCtx

  override def decompress(page: BytesInput, size: Int): BytesInput = {
    val from = page.toByteBuffer(new HeapByteBufferAllocator, _ => ())
    val length = from.remaining
    val source = if (from.hasArray) from.array else copied(from, length)
    val start = if (from.hasArray) from.arrayOffset + from.position() else 0
    PageSizes.checkZstd(source, start, length, size)
    val to = target.buffer.fold(new Array[Byte](size))(_.ofSize(size))
    def frames = PageFrames.of(source, start, length, size, fill(source, _, _, to, _, _))
    target.buffer.filter(_ => target.inParts).flatMap(buffer => frames.map(buffer.fillBy)).getOrElse {
      fill(source, start, length, to, 0, size)
    }
    BytesInput.from(to, 0, size)
  }

  override def decompress(page: ByteBuffer, length: Int, to: ByteBuffer, size: Int): Unit = {
    val source = copied(page, length)
    PageSizes.checkZstd(source, 0, length, size)
    val bytes = new Array[Byte](size)
    fill(source, 0, length, bytes, 0, size)
    page.position(page.position() + length)
    to.put(bytes)
    ()
  }

  override def release(): Unit = context.close()

  private def copied(page: ByteBuffer, length: Int) = {
    val bytes = new Array[Byte](length)
    page.duplicate().get(bytes)
    bytes
  }

  private def fill(from: Array[Byte], start: Int, length: Int, to: Array[Byte], at: Int, size: Int): Unit = {
    val decompressed =
      try context.decompressByteArray(to, at, size, from, start, length)
      catch {
        case e: ZstdException => throw new ParquetDecodingException(s"a zstd page: ${e.getMessage}", e)
      }
    if (decompressed != size)
      throw new ParquetDecodingException(s"a zstd page holds $decompressed bytes instead of $size")
  }
}

/** Compresses the pages of a file. */
private[parquet] trait PageCompression {

  /** The approximate compressed size of some bytes. */
  def sizeOf(bytes: BytesInput): Long

  /** Runs `writePage`, which writes a page of `column`; `ofLongTexts` if the page has long texts. */
  def of(column: ColumnDescriptor, ofLongTexts: Boolean)(writePage: => Unit): Unit
}

/** Compresses with one of Parquet's own codecs. */
private[parquet] final class PlainCompression(codec: BytesInputCompressor) extends PageCompression {
  override def sizeOf(bytes: BytesInput): Long = codec.compress(bytes).size
  override def of(column: ColumnDescriptor, ofLongTexts: Boolean)(writePage: => Unit): Unit = writePage
}

/**
 * Compresses each column with the best of several levels, and pages of long texts in several frames.
 *
 * A higher level searches for shorter repetitions. Hashes, identifiers and numbers have only accidental
 * repetitions, which cost more than they save: there the lowest level gives the smaller page in half the time.
 * So a sample of the first large page of a column is compressed with each of `levels`, the fastest first. A
 * later level is chosen only if its result is smaller by a fiftieth.
 *
 * Readers decompress only the frames that they need ([[PageFrames]]). Repetitions across frames are not found,
 * so the first page of a column decides whether its pages are compressed in frames: the cost may be at most a
 * fortieth.
 */
private[parquet] final class ZstdCompressor(levels: Seq[Int]) extends BytesInputCompressor
    with PageCompression {
  private val compressors = levels.map(new ZstdLevel(_)).toArray
  private val chosenLevels = mutable.Map.empty[ColumnDescriptor, ZstdLevel]
  private val frameSizes = mutable.Map.empty[ColumnDescriptor, Option[Int]]
  private var column: Option[ColumnDescriptor] = None
  private var hasLongTexts = false
  private val source = new OpenBytes
  private var target = new Array[Byte](1024)

  /** Outside of this call the column is unknown, and the level is chosen for each page. */
  override def of(column: ColumnDescriptor, ofLongTexts: Boolean)(writePage: => Unit): Unit = {
    this.column = Some(column)
    hasLongTexts = ofLongTexts
    try writePage
    finally {
      this.column = None
      hasLongTexts = false
    }
  }

  override def sizeOf(page: BytesInput): Long = {
    hold(page)
    compress(compressors.head.ofPage, source.bytes, 0, source.size).toLong
  }

  /** The result is valid until the next page is compressed, as with Parquet's own codecs. Callers copy it. */
  override def compress(page: BytesInput): BytesInput = {
    hold(page)
    val (bytes, length) = (source.bytes, source.size)
    val level = levelFor(bytes, length)
    val size = frameSizeFor(level, bytes, length) match {
      case Some(frame) => compressInFrames(level, bytes, length, frame)
      case None => compress(level.ofPage, bytes, 0, length)
    }
    BytesInput.from(target, 0, size)
  }

  private def hold(page: BytesInput): Unit = {
    source.reset()
    page.writeAllTo(source)
    val frames = source.size / ZstdCompressor.Frames.min + 1
    val bound =
      Math.toIntExact(Zstd.compressBound(source.size.toLong) + frames * ZstdCompressor.MaxHeaderSize)
    if (target.length < bound) target = new Array[Byte](bound)
  }

  private def frameSizeFor(level: ZstdLevel, page: Array[Byte], length: Int): Option[Int] = {
    def acceptableSize = {
      val whole = compress(level.ofPage, page, 0, length)
      ZstdCompressor.Frames.find { frame =>
        compressInFrames(level, page, length, frame) <= whole * ZstdCompressor.MaxFrameCost
      }
    }
    column.filter(_ => hasLongTexts && length > 2 * ZstdCompressor.Frames.max)
      .flatMap(frameSizes.getOrElseUpdate(_, acceptableSize))
  }

  private def levelFor(page: Array[Byte], length: Int): ZstdLevel =
    if (compressors.length == 1 || length < ZstdCompressor.MinSample) compressors.last
    else {
      val sample = ZstdCompressor.sampleSize(length)
      // The sample is from the end, which has values; the start of the page may have only levels.
      def sizes = compressors.map(l => l -> compress(l.ofPage, page, length - sample, sample))
      def best = sizes.reduceLeft((a, b) => if (b._2 < a._2 * ZstdCompressor.MaxSizeRatio) b else a)._1
      column.fold(best)(chosenLevels.getOrElseUpdate(_, best))
    }

  private def compressInFrames(level: ZstdLevel, bytes: Array[Byte], length: Int, frame: Int): Int = {
    var from = 0
    var size = 0
    while (from < length) {
      // The last frame takes the rest, so that it is not short.
      val remaining = length - from
      val frameSize = if (remaining < 2 * frame) remaining else frame
      size += level.ofFrame.compressByteArray(target, size, target.length - size, bytes, from, frameSize)
      from += frameSize
    }
    size
  }

  private def compress(context: ZstdCompressCtx, bytes: Array[Byte], from: Int, length: Int): Int =
    context.compressByteArray(target, 0, target.length, bytes, from, length)

  override def getCodecName: CompressionCodecName = CompressionCodecName.ZSTD
  override def release(): Unit = compressors.foreach(_.close())
}

/**
 * The compressors of one zstd level: for a whole page, and for a frame of a page. For small inputs such as a
 * frame, level 1 searches for short repetitions, which are accidental. So `ofFrame` sets the minimum match
 * length of a page.
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

/** An output stream that gives access to its array without a copy. */
private[parquet] final class OpenBytes extends ByteArrayOutputStream {
  def bytes: Array[Byte] = buf
}

private[parquet] object ZstdCompressor {

  /**
   * The size of the sample of a page. A large page has a larger sample, since its repetitions may be far apart,
   * as in maps with many keys.
   */
  private final val MinSample = 32 * 1024
  private final val MaxSample = 512 * 1024
  private def sampleSize(length: Int) =
    if (length < 8 * MinSample) MinSample else math.min(length / 2, MaxSample)

  private final val MaxSizeRatio = 0.98

  /**
   * Candidates for the uncompressed size of a frame; the first with acceptable cost is used. Up to 16 KiB, zstd
   * uses tables that find fewer repetitions.
   */
  val Frames: Seq[Int] = Seq(8 * 1024, 17 * 1024)
  private final val MaxFrameCost = 1.025
  private final val MaxHeaderSize = 64
}
