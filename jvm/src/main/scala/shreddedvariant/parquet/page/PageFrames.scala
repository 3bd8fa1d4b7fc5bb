/**
 * A page that was compressed as several frames of zstd, of which those are decompressed that hold what is needed.
 *
 * The format of zstd lets frames follow each other, and every decoder takes them for one text. Our writer makes them of
 * pages of long texts ([[ZstdCompressor]]). Where one row of a thousand is wanted, most frames hold none.
 *
 * Law: a frame is decompressed without the others, and its header says how many bytes it holds. So what is needed of a page
 * is known by its place alone; pages of other writers that happen to have several frames are no exception.
 */
package shreddedvariant.parquet.page

import scala.collection.mutable

import com.github.luben.zstd.{Zstd, ZstdException}

/** Frame i is compressed from `places(i)` until `places(i + 1)` and holds the page from `starts(i)` until `starts(i + 1)`. */
final class PageFrames private (places: Array[Int], starts: Array[Int], fill: FrameFiller) {
  private val isFilled = new Array[Boolean](starts.length - 1)

  def need(from: Int, until: Int): Unit = {
    var i = java.util.Arrays.binarySearch(starts, from)
    if (i < 0) i = -i - 2
    while (i < isFilled.length && starts(i) < until) {
      if (!isFilled(i)) {
        fill(places(i), places(i + 1) - places(i), starts(i), starts(i + 1) - starts(i))
        isFilled(i) = true
      }
      i += 1
    }
  }
}

/** Decompresses some bytes of the compressed page to a place in the page. */
trait FrameFiller {
  def apply(from: Int, length: Int, to: Int, size: Int): Unit
}

object PageFrames {

  /** The frames of a page, if it has several that say how large they are and together are as large as the page. */
  def of(compressed: Array[Byte], from: Int, length: Int, size: Int, fill: FrameFiller): Option[PageFrames] =
    try {
      val end = from + length
      val places = mutable.ArrayBuffer(from)
      val starts = mutable.ArrayBuffer(0L)
      var areSized = true
      while (areSized && places.last < end) {
        val left = end - places.last
        // Most pages are one frame, of which there is nothing more to know.
        val packed = Zstd.findFrameCompressedSize(compressed, places.last, left)
        val holds = if (packed < length) Zstd.getFrameContentSize(compressed, places.last, left) else 0L
        areSized = holds > 0 && holds <= size - starts.last
        places += places.last + packed.toInt
        starts += starts.last + holds
      }
      Option.when(areSized && starts.last == size)(new PageFrames(
        places.toArray,
        starts.iterator.map(_.toInt).toArray,
        fill
      ))
    } catch {
      // Whoever decompresses the page as a whole says what is wrong with it.
      case _: ZstdException => None
    }
}
