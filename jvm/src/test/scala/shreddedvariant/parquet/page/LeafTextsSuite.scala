/** `LeafTexts` creates each text of a dictionary once, and returns null for ids that the dictionary lacks. */
package shreddedvariant.parquet.page

import java.nio.{ByteBuffer, ByteOrder}
import java.util.{Optional, PrimitiveIterator}

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.column.page.{DataPage, DictionaryPage, PageReadStore, PageReader}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BINARY
import org.apache.parquet.schema.Types

class LeafTextsSuite extends shreddedvariant.Suite {
  private val leaf = new ColumnDescriptor(Array("c"), Types.required(BINARY).named("c"), 0, 0)

  private def pages(texts: Seq[String]): PageReadStore = new PageReadStore {
    private val bytes = texts.map(_.getBytes("UTF-8"))
    override def getPageReader(column: ColumnDescriptor): PageReader = new PageReader {
      override def readDictionaryPage(): DictionaryPage = {
        val plain = ByteBuffer.allocate(bytes.map(4 + _.length).sum).order(ByteOrder.LITTLE_ENDIAN)
        bytes.foreach(text => plain.putInt(text.length).put(text))
        new DictionaryPage(BytesInput.from(plain.array: Array[Byte]), bytes.size, Encoding.PLAIN)
      }
      override def getTotalValueCount: Long = 0
      override def readPage(): DataPage = null
    }
    override def getRowCount: Long = 0
    override def getRowIndexes: Optional[PrimitiveIterator.OfLong] = Optional.empty()
  }

  test("each text is one object, from the dictionary of the current row group") {
    val texts = new LeafTexts
    for (group <- Seq(Seq("a", "", "\u00e4"), Seq("b", "c", "d", "e"))) {
      val checked = new CheckedPages(pages(group))
      checked.getPageReader(leaf).readDictionaryPage()
      texts.are(checked.dictionary)
      for (_ <- 0 until 2; id <- group.indices) {
        assertEquals(texts.text(id).toString, group(id))
        assert(texts.text(id) eq texts.text(id))
      }
      // A damaged file may contain any id.
      for (id <- Seq(-1, group.size, Int.MaxValue)) assertEquals(texts.text(id), null)
    }
  }
}
