/**
 * One array that the pages of a leaf are decompressed into, one after the other: a new one for each page would first be
 * filled with zeros, and be garbage soon.
 *
 * Law: of a page nothing is looked at any more when the next one of its leaf is read. Decoders copy values into vectors,
 * and read a page when they are through with the one before; encodings in which values rest on those of earlier pages are
 * left alone ([[RowPages.takes]]), and so are dictionaries, which last as long as the row group.
 */
package shreddedvariant.parquet

import java.lang.ref.SoftReference
import java.util.{Optional, PrimitiveIterator}

import scala.collection.mutable

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

/**
 * Arrays that pages of one file were in, for those of the next one that a thread reads: of a query over many files new ones
 * would be most of what is allocated.
 *
 * Law: whoever gives an array has forgotten it, and nothing is decoded from the pages of a reader that is closed.
 */
private object PageArrays {
  private final val Least = 16 * 1024
  private final val Most = 4 * 1024 * 1024
  private final val MostTogether = 32L * 1024 * 1024

  private final class Free {
    private val arrays = mutable.ArrayBuffer.empty[Array[Byte]]
    private var together = 0L

    def add(array: Array[Byte]): Unit =
      if (together + array.length <= MostTogether) {
        arrays += array
        together += array.length
      }

    def remove(size: Int): Option[Array[Byte]] = {
      val i = arrays.lastIndexWhere(_.length >= size)
      Option.when(i >= 0) {
        together -= arrays(i).length
        arrays.remove(i)
      }
    }
  }

  private val free = new ThreadLocal[SoftReference[Free]]

  private def ofThread: Free = {
    val known = Option(free.get).flatMap(reference => Option(reference.get))
    known.getOrElse {
      val made = new Free
      free.set(new SoftReference(made))
      made
    }
  }

  def take(size: Int): Array[Byte] = ofThread.remove(size).getOrElse(new Array[Byte](size))
  def give(array: Array[Byte]): Unit =
    if (array.length >= Least && array.length <= Most) ofThread.add(array)
}

/** The pages of a leaf in a row group, each of which takes the place of the one before; `inParts`, as far as somebody needs it. */
private final class BufferedPages(
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
