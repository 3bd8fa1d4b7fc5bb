/**
 * One array that the pages of a leaf are decompressed into, one after the other: a new one for each page would first be
 * filled with zeros, and be garbage soon.
 *
 * Law: of a page nothing is looked at any more when the next one of its leaf is read. Decoders copy values into vectors,
 * and read a page when they are through with the one before; encodings in which values rest on those of earlier pages are
 * left alone ([[RowPages.takes]]), and so are dictionaries, which last as long as the row group.
 */
package shreddedvariant.parquet.page

import java.util.{Optional, PrimitiveIterator}

import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.page.{DataPage, DictionaryPage, PageReadStore, PageReader}

final class PageBuffer {
  private var bytes = Array.emptyByteArray
  private var numbers = Array.emptyIntArray
  private var frames: Option[PageFrames] = None

  /** The page that comes next may not be in the array. */
  def clear(): Unit = frames = None

  /** An array of at least this size; what was in the last one is lost. */
  def ofSize(size: Int): Array[Byte] = {
    clear()
    if (bytes.length < size) {
      PageArrays.give(bytes)
      bytes = PageArrays.take(size)
    }
    bytes
  }

  /** So many numbers about the page; they may be any at first. */
  def numbersOf(size: Int): Array[Int] = {
    if (numbers.length < size) numbers = new Array[Int](size)
    numbers
  }

  /** Leaves the array to pages of other files, when nothing is read any more. */
  def release(): Unit = {
    clear()
    PageArrays.give(bytes)
    bytes = Array.emptyByteArray
  }

  /** The page that is in the array last is decompressed as far as it is needed. */
  def fillBy(frames: PageFrames): Unit = this.frames = Some(frames)

  /** To be told before one looks at these bytes of a page. */
  def need(from: Int, until: Int): Unit = if (frames.isDefined) frames.get.need(from, until)
  def needAll(): Unit = need(0, bytes.length)
}

/** The pages of a leaf in a row group, each of which takes the place of the one before; `inParts`, as far as somebody needs it. */
private[parquet] final class BufferedPages(
    pages: PageReadStore,
    codecs: PageCodecs,
    buffer: PageBuffer,
    inParts: Boolean
) extends PageReadStore {
  override def getPageReader(column: ColumnDescriptor): PageReader = {
    val reader = pages.getPageReader(column)
    new PageReader {
      override def readDictionaryPage(): DictionaryPage = reader.readDictionaryPage()
      override def getTotalValueCount: Long = reader.getTotalValueCount
      override def readPage(): DataPage = codecs.into(buffer, inParts)(reader.readPage())
    }
  }
  override def getRowCount: Long = pages.getRowCount
  override def getRowIndexes: Optional[PrimitiveIterator.OfLong] = pages.getRowIndexes
}
