/**
 * Pages of texts have the added texts and their bounds, with a dictionary, as PLAIN, and with DELTA encoding.
 */
package shreddedvariant.parquet.write

import java.nio.ByteBuffer

import scala.util.Random

import org.apache.parquet.bytes.{ByteBufferInputStream, BytesInput}
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.page.DictionaryPage
import org.apache.parquet.column.values.ValuesReader
import org.apache.parquet.column.values.deltalengthbytearray.DeltaLengthByteArrayValuesReader
import org.apache.parquet.column.values.dictionary.{DictionaryValuesReader, PlainValuesDictionary}
import org.apache.parquet.column.values.plain.BinaryPlainValuesReader
import org.apache.parquet.schema.{LogicalTypeAnnotation, Types}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BINARY

class PageTextsSuite extends shreddedvariant.Suite {
  private type Text = Seq[Byte]
  private val column = Types.required(BINARY).as(LogicalTypeAnnotation.stringType()).named("c")

  private def add(page: PageTexts, texts: Seq[Text]): Unit = {
    // Texts are adjacent, as in a variant: after a text comes the next text, or the end of the array.
    val bytes = texts.flatten.toArray
    texts.foldLeft(0) { (at, text) =>
      page.add(bytes, at, text.length)
      at + text.length
    }
    ()
  }

  private def read(page: PageTexts, count: Int): (Seq[Text], Encoding) = {
    val (bytes, encoding) = page.encode(_.size)
    val in = ByteBufferInputStream.wrap(ByteBuffer.wrap(bytes.toInputStream.readAllBytes()))
    val reader: ValuesReader =
      if (encoding == Encoding.PLAIN) new BinaryPlainValuesReader
      else if (encoding == Encoding.DELTA_LENGTH_BYTE_ARRAY) new DeltaLengthByteArrayValuesReader
      else {
        val own = page.dictionary
        val copy = BytesInput.from(own.getBytes.toInputStream.readAllBytes(): Array[Byte])
        val dictionary = new DictionaryPage(copy, own.getDictionarySize, Encoding.PLAIN)
        new DictionaryValuesReader(new PlainValuesDictionary.PlainBinaryDictionary(dictionary))
      }
    reader.initFromPage(count, in)
    (Seq.fill(count)(reader.readBytes().getBytes.toSeq), encoding)
  }

  private def bounds(page: PageTexts): (Text, Text) =
    (page.statistics(0).getMinBytes.toSeq, page.statistics(0).getMaxBytes.toSeq)

  private val unsigned: Ordering[Text] =
    Ordering.comparatorToOrdering((a: Text, b: Text) =>
      java.util.Arrays.compareUnsigned(a.toArray, b.toArray)
    )

  /** Texts that differ in one byte, in length, or in a zero byte at the end. */
  private def texts(random: Random, count: Int): Seq[Text] = {
    val bytes = Array[Byte](0, 1, 'a', 0x7f, -128, -1)
    val some = Seq.fill(1 + random.nextInt(40)) {
      val begin = Seq.fill(random.nextInt(20))(bytes(random.nextInt(2)))
      begin ++ Seq.fill(random.nextInt(3))(bytes(random.nextInt(bytes.length)))
    }
    Seq.fill(count)(some(random.nextInt(some.size)))
  }

  test("texts of all short lengths are read as written, in several pages") {
    val random = new Random(3)
    for (_ <- 0 until 300) {
      val page = new PageTexts(column, 1 << 20)
      for (_ <- 0 until 3) {
        val expected = texts(random, 400)
        add(page, expected)
        assertEquals(read(page, expected.size)._1, expected)
        assertEquals(bounds(page), (expected.min(unsigned), expected.max(unsigned)))
        page.endPage()
      }
    }
  }

  for (withDifferences <- Seq(false, true))
    test(
      s"texts without a dictionary are read as written${if (withDifferences) ", after their lengths" else ""}"
    ) {
      val random = new Random(4)
      val page = new PageTexts(column, 1 << 20, withDifferences)
      val plain = if (withDifferences) Encoding.DELTA_LENGTH_BYTE_ARRAY else Encoding.PLAIN
      for (_ <- 0 until 3) {
        val expected = Seq.fill(500)(Seq.fill(random.nextInt(12))(random.nextInt().toByte))
        add(page, expected)
        assertEquals(read(page, expected.size), (expected, plain))
        assertEquals(bounds(page), (expected.min(unsigned), expected.max(unsigned)))
        page.endPage()
      }
    }

  test("a dictionary has each text once") {
    val expected =
      Seq("", "\u0000", "a", "a\u0000", "seven77", "seven77\u0000", "eight888", "eight889", "x" * 200)
        .map(_.getBytes("UTF-8").toSeq)
    val page = new PageTexts(column, 1 << 20)
    val many = Seq.fill(100)(expected).flatten
    add(page, many)
    assertEquals(read(page, many.size), (many, Encoding.RLE_DICTIONARY))
    assertEquals(page.dictionary.getDictionarySize, expected.size)
  }
}
