/**
 * One array that the pages of a leaf are decompressed into, one after the other: a new one for each page would first be
 * filled with zeros, and be garbage soon.
 *
 * Law: of a page nothing is looked at any more when the next one of its leaf is read. Decoders copy values into vectors,
 * and read a page when they are through with the one before; encodings in which values rest on those of earlier pages are
 * left alone ([[RowPages.takes]]), and so are dictionaries, which last as long as the row group.
 */
package shreddedvariant.parquet

import java.util.{Optional, PrimitiveIterator}

import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.page.{DataPage, DictionaryPage, PageReadStore, PageReader}

final class PageBuffer {
  private var bytes = Array.emptyByteArray

  /** An array of at least this size; what was in the last one is lost. */
  def ofSize(size: Int): Array[Byte] = {
    if (bytes.length < size) bytes = new Array[Byte](size)
    bytes
  }
}

/** The pages of a leaf in a row group, each of which takes the place of the one before. */
private final class BufferedPages(pages: PageReadStore, codecs: PageCodecs, buffer: PageBuffer)
    extends PageReadStore {
  override def getPageReader(column: ColumnDescriptor): PageReader = {
    val reader = pages.getPageReader(column)
    new PageReader {
      override def readDictionaryPage(): DictionaryPage = reader.readDictionaryPage()
      override def getTotalValueCount: Long = reader.getTotalValueCount
      override def readPage(): DataPage = codecs.into(buffer)(reader.readPage())
    }
  }
  override def getRowCount: Long = pages.getRowCount
  override def getRowIndexes: Optional[PrimitiveIterator.OfLong] = pages.getRowIndexes
}
