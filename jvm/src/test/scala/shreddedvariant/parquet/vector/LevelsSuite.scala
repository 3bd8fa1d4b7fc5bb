/**
 * Levels that are not valid lists, or differ between the leaves of a list, are refused with file and column.
 */
package shreddedvariant.parquet.vector

import java.nio.{ByteBuffer, ByteOrder}
import java.util.{Optional, PrimitiveIterator}

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.column.page.{DataPage, DataPageV1, DictionaryPage, PageReadStore, PageReader}
import org.apache.parquet.schema.MessageTypeParser
import org.apache.spark.SparkException
import org.apache.spark.sql.types.IntegerType
import shreddedvariant.ShreddedVariantException
import shreddedvariant.parquet.bind.FileLeaves
import shreddedvariant.parquet.page.PackedNumbers

class LevelsSuite extends shreddedvariant.Suite {
  private val schema = MessageTypeParser.parseMessageType(
    """message m { optional group l (LIST) { repeated group list {
      |  optional group element { optional int32 a; optional int32 b; } } } }""".stripMargin
  )
  private val list = Seq("l")

  /**
   * Reads a batch and returns the lengths of its lists. `levels` are (repetition, definition) of a leaf's
   * entries.
   */
  private def read(rows: Int, offHeap: Boolean, levels: (String, Seq[(Int, Int)])*): Seq[Int] = {
    val vectors = new VectorAllocator(16, offHeap)
    val leaves = new FileLeaves(schema, vectors, new BatchPosition("the.parquet"))
    try {
      val read = levels.map { case (name, entries) =>
        val leaf = leaves.leaf(Seq("l", "list", "element", name), IntegerType, Rebasing.none, _ => true)
        leaf -> entries
      }
      val lists = leaves.lists(list)
      for ((leaf, entries) <- read) {
        leaf.open(pages(entries), null, null)
        leaf.read(rows)
      }
      leaves.assembled.foreach(_.assemble(rows))
      (0 until rows).map(lists.length)
    } finally vectors.close()
  }

  private def pages(entries: Seq[(Int, Int)]): PageReadStore = new PageReadStore {
    private var isRead = false
    override def getPageReader(column: ColumnDescriptor): PageReader = new PageReader {
      override def readDictionaryPage(): DictionaryPage = null
      override def getTotalValueCount: Long = entries.size.toLong
      override def readPage(): DataPage =
        if (isRead) null
        else {
          isRead = true
          val values = ByteBuffer.allocate(4 * entries.size).order(ByteOrder.LITTLE_ENDIAN)
          val bytes = BytesInput.concat(
            runs(entries.map(_._1), 1),
            runs(entries.map(_._2), 3),
            BytesInput.from(values.array: Array[Byte])
          )
          new DataPageV1(
            bytes,
            entries.size,
            bytes.size.toInt,
            null,
            Encoding.RLE,
            Encoding.RLE,
            Encoding.PLAIN
          )
        }
    }
    override def getRowCount: Long = 0
    override def getRowIndexes: Optional[PrimitiveIterator.OfLong] = Optional.empty()
  }

  test("out of memory gives an error with the file name, which ignoreCorruptFiles does not hide") {
    val vectors = new VectorAllocator(16, offHeap = false)
    val leaves = new FileLeaves(schema, vectors, new BatchPosition("the.parquet"))
    val leaf = leaves.leaf(Seq("l", "list", "element", "a"), IntegerType, Rebasing.none, _ => true)
    val none = new PageReadStore {
      override def getPageReader(column: ColumnDescriptor): PageReader =
        throw new OutOfMemoryError("Java heap space")
      override def getRowCount: Long = 0
      override def getRowIndexes: Optional[PrimitiveIterator.OfLong] = Optional.empty()
    }
    val e: Throwable = intercept[SparkException](leaf.open(none, null, null))
    vectors.close()
    assert(
      e.getMessage.startsWith("[SHREDDED_VARIANT_DECODING_MEMORY]") && e.getMessage.contains("the.parquet")
    )
    assert(!e.isInstanceOf[RuntimeException] && !e.isInstanceOf[java.io.IOException])
  }

  private def runs(levels: Seq[Int], width: Int): BytesInput = {
    val packed = new PackedNumbers(width)
    levels.foreach(packed.add)
    BytesInput.concat(BytesInput.fromInt(packed.bytes.size.toInt), packed.bytes)
  }

  private val two = Seq(0 -> 4, 1 -> 4, 0 -> 4)

  private val wrong = Map(
    "an element before the first row" -> Seq(1 -> 4, 0 -> 4, 0 -> 4),
    "fewer elements than the other leaf has" -> Seq(0 -> 4, 0 -> 4),
    "more elements than the other leaf has" -> Seq(0 -> 4, 1 -> 4, 1 -> 4, 0 -> 4),
    "fewer rows than the row group" -> Seq(0 -> 4, 1 -> 4),
    "no entry" -> Seq.empty
  )

  for (offHeap <- Seq(false, true)) {
    test(s"lists follow from their levels, off heap: $offHeap") {
      assertEquals(read(2, offHeap, "a" -> two, "b" -> two), Seq(2, 1))
      assertEquals(read(3, offHeap, "a" -> Seq(0 -> 0, 0 -> 1, 0 -> 2)), Seq(-1, 0, 1))
    }

    for ((name, entries) <- wrong) test(s"$name, off heap: $offHeap") {
      for (both <- Seq(Seq("a" -> two, "b" -> entries), Seq("a" -> entries, "b" -> two))) {
        val e = intercept[ShreddedVariantException](read(2, offHeap, both: _*))
        assertEquals(e.condition, "SHREDDED_VARIANT_DAMAGED_PAGES")
        assert(
          e.getMessage.contains("'the.parquet'") && e.getMessage.contains("l.list.element."),
          e.getMessage
        )
      }
    }
  }
}
