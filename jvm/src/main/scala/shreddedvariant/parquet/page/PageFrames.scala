/**
 * Decompresses only the needed frames of a page that is compressed as several zstd frames.
 *
 * The zstd format allows a sequence of frames, and every decoder concatenates their contents. Our writer
 * compresses pages of long texts in frames ([[ZstdCompressor]]). If a query needs one row of a thousand, most
 * frames have no such row.
 *
 * Law: a frame is decompressed without the others, and its header has the size of its content. So the position
 * of bytes in the page determines the frames that hold them. This is also true for pages of other writers with
 * several frames.
 */
package shreddedvariant.parquet.page

import scala.collection.mutable

import com.github.luben.zstd.{Zstd, ZstdException}

/**
 * The compressed bytes of frame i are from `packedStarts(i)` until `packedStarts(i + 1)`, its content
 * is the bytes of the page from `starts(i)` until `starts(i + 1)`.
 */
final class PageFrames private (packedStarts: Array[Int], starts: Array[Int], fill: FrameFiller) {
  private val isFilled = new Array[Boolean](starts.length - 1)

  def need(from: Int, until: Int): Unit = {
    var i = java.util.Arrays.binarySearch(starts, from)
    if (i < 0) i = -i - 2
    while (i < isFilled.length && starts(i) < until) {
      if (!isFilled(i)) {
        fill(packedStarts(i), packedStarts(i + 1) - packedStarts(i), starts(i), starts(i + 1) - starts(i))
        isFilled(i) = true
      }
      i += 1
    }
  }
}

/** Decompresses `length` bytes from `from` to the `size` bytes of the page at `to`. */
trait FrameFiller {
  def apply(from: Int, length: Int, to: Int, size: Int): Unit
}

object PageFrames {

  /**
   * The frames of a page; None unless there are several, each declares its size, and the sizes add up to the
   * page's.
   */
  def of(compressed: Array[Byte], from: Int, length: Int, size: Int, fill: FrameFiller): Option[PageFrames] =
    try {
      val end = from + length
      val packedStarts = mutable.ArrayBuffer(from)
      val starts = mutable.ArrayBuffer(0L)
      var haveSizes = true
      while (haveSizes && packedStarts.last < end) {
        val remaining = end - packedStarts.last
        // Most pages have a single frame; its content size is not needed.
        val packedSize = Zstd.findFrameCompressedSize(compressed, packedStarts.last, remaining)
        val contentSize =
          if (packedSize < length) Zstd.getFrameContentSize(compressed, packedStarts.last, remaining) else 0L
        haveSizes = contentSize > 0 && contentSize <= size - starts.last
        packedStarts += packedStarts.last + packedSize.toInt
        starts += starts.last + contentSize
      }
      Option.when(haveSizes && starts.last == size)(new PageFrames(
        packedStarts.toArray,
        starts.iterator.map(_.toInt).toArray,
        fill
      ))
    } catch {
      // The caller then decompresses the whole page and reports the error.
      case _: ZstdException => None
    }
}
