/**
 * One array into which all pages of a leaf are decompressed, one after the other. A new array for each page
 * would first be filled with zeros, and soon be garbage.
 *
 * Law: no code reads a page of a leaf after the next page of this leaf is read. Decoders copy values into
 * vectors, and read a page only after they are done with the previous one. Encodings whose values depend on
 * earlier pages do not use this buffer (`RowPages.takes`), nor do dictionaries, which are needed as long as the
 * row group.
 */
package shreddedvariant.parquet.page

final class PageBuffer {
  private var bytes = Array.emptyByteArray
  private var numbers = Array.emptyIntArray
  private var frames: Option[PageFrames] = None

  /** Forgets the frames of the current page. The next page may not be in the array. */
  def clear(): Unit = frames = None

  /** An array of at least this size. The previous page is lost. */
  def ofSize(size: Int): Array[Byte] = {
    clear()
    if (bytes.length < size) {
      PageArrays.give(bytes)
      bytes = PageArrays.take(size)
    }
    bytes
  }

  /** An array of at least this size for numbers about the page. It may contain old numbers. */
  def numbersOf(size: Int): Array[Int] = {
    if (numbers.length < size) numbers = new Array[Int](size)
    numbers
  }

  /** Gives the array back to the pool. The page must not be read afterwards. */
  def release(): Unit = {
    clear()
    PageArrays.give(bytes)
    bytes = Array.emptyByteArray
  }

  /** Sets the frames of the current page, which [[need]] decompresses on demand. */
  def fillBy(frames: PageFrames): Unit = this.frames = Some(frames)

  /** Decompresses these bytes of the page, by position in the array. Call it before reading them. */
  def need(from: Int, until: Int): Unit = if (frames.isDefined) frames.get.need(from, until)
  def needAll(): Unit = need(0, bytes.length)
}

/** The buffer for the next decompressed page. */
private[parquet] final class PageTarget {
  var buffer: Option[PageBuffer] = None
  var inParts = false
}
