/** The pages of another store, which a subclass checks or changes when they are read. */
package shreddedvariant.parquet.page

import java.util.{Optional, PrimitiveIterator}

import scala.annotation.unused

import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.page.{DataPage, DictionaryPage, PageReadStore, PageReader}

private[parquet] abstract class WrappedPages(pages: PageReadStore) extends PageReadStore {

  /** The next data page of `reader`; null after the last one. */
  protected def dataPage(reader: PageReader, column: ColumnDescriptor): DataPage

  /** The dictionary page of `reader`; null if there is none. */
  protected def dictionaryPage(reader: PageReader, @unused column: ColumnDescriptor): DictionaryPage =
    reader.readDictionaryPage()

  override def getPageReader(column: ColumnDescriptor): PageReader = {
    val reader = pages.getPageReader(column)
    new PageReader {
      override def readDictionaryPage(): DictionaryPage = dictionaryPage(reader, column)
      override def getTotalValueCount: Long = reader.getTotalValueCount
      override def readPage(): DataPage = dataPage(reader, column)
    }
  }
  override def getRowCount: Long = pages.getRowCount
  override def getRowIndexes: Optional[PrimitiveIterator.OfLong] = pages.getRowIndexes
}
