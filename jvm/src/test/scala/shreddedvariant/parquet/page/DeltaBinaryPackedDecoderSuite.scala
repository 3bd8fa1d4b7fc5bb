/**
 * DELTA_BINARY_PACKED numbers of Parquet's own writers decode from any position, and damaged ones are refused.
 */
package shreddedvariant.parquet.page

import java.nio.{ByteBuffer, ByteOrder}
import java.util.{Optional, PrimitiveIterator}

import scala.util.Random

import org.apache.parquet.bytes.{BytesInput, HeapByteBufferAllocator}
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.column.page.{DataPage, DataPageV1, DictionaryPage, PageReadStore, PageReader}
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesWriterForLong
import org.apache.parquet.io.ParquetDecodingException
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.{INT32, INT64}
import org.apache.parquet.schema.Types
import shreddedvariant.Outcomes
import shreddedvariant.parquet.read.PlainPages

class DeltaBinaryPackedDecoderSuite extends shreddedvariant.Suite {
  private def plain(numbers: Seq[Long], width: Int): Array[Byte] = {
    val bytes = ByteBuffer.allocate(width * numbers.size).order(ByteOrder.LITTLE_ENDIAN)
    numbers.foreach(n => if (width == 4) bytes.putInt(n.toInt) else bytes.putLong(n))
    bytes.array
  }

  private def packed(numbers: Seq[Long], width: Int): Array[Byte] = {
    val bytes = plain(numbers, width)
    new PackedDifferences().ofPlain(bytes, bytes.length, width).toInputStream.readAllBytes()
  }

  private def runs(bytes: Array[Byte], maxCount: Int) =
    new DeltaBinaryPackedDecoder(ByteBuffer.wrap(bytes), new PageBuffer, maxCount.toLong)

  private def numbers(random: Random, width: Int): Seq[Long] = {
    val bits = 1 + random.nextInt(8 * width)
    def number = random.nextLong() >> (64 - bits)
    val parts = Seq.fill(random.nextInt(700))(random.nextInt(3) match {
      case 0 => Seq.fill(random.nextInt(90))(number)
      case 1 => Seq.fill(2)(if (width == 4) Int.MinValue.toLong else Long.MinValue)
      case _ => Seq.iterate(number, 40)(_ + 3)
    })
    parts.flatten.take(random.nextInt(700)).map(n => if (width == 4) n.toInt.toLong else n)
  }

  test("numbers decode as written, all together and from any position") {
    val random = new Random(11)
    for (width <- Seq(4, 8); _ <- 0 until 150) {
      val expected = numbers(random, width)
      val bytes = packed(expected, width)
      // Without and with bytes after the last number.
      for (page <- Seq(bytes, bytes ++ Array.fill[Byte](40)(-1))) {
        val all = new Array[Byte](width * expected.size)
        runs(page, expected.size).writeAll(all, 0, width)
        assertEquals(all.toSeq, plain(expected, width).toSeq)
        for (from <- expected.indices by 37) {
          val cursor = runs(page, expected.size)
          cursor.skip(from.toLong)
          assertEquals(plain(Seq(cursor.number()), width).toSeq, plain(Seq(expected(from)), width).toSeq)
        }
        val cursor = runs(page, expected.size)
        cursor.skip(expected.size.toLong)
        assertEquals(cursor.position, bytes.length)
        intercept[ParquetDecodingException](cursor.number())
      }
    }
  }

  test("blocks and miniblocks of other sizes") {
    val random = new Random(12)
    for ((block, miniblocks) <- Seq((128, 1), (128, 16), (256, 4), (1024, 32))) {
      val expected = Seq.fill(3000)(random.nextInt(1 << (1 + random.nextInt(20))).toLong)
      val writer =
        new DeltaBinaryPackingValuesWriterForLong(block, miniblocks, 64, 1 << 20, new HeapByteBufferAllocator)
      expected.foreach(writer.writeLong)
      val all = new Array[Byte](8 * expected.size)
      runs(writer.getBytes.toInputStream.readAllBytes(), expected.size).writeAll(all, 0, 8)
      assertEquals(all.toSeq, plain(expected, 8).toSeq)
    }
  }

  test("sums of lengths from any position; negative and too large lengths are refused") {
    val random = new Random(15)
    for (_ <- 0 until 100) {
      val expected = Seq.fill(random.nextInt(500))(random.nextInt(1 << (1 + random.nextInt(15))).toLong)
      val from = random.nextInt(expected.size + 1)
      val cursor = runs(packed(expected, 4), expected.size)
      cursor.skip(from.toLong)
      val sums = new Array[Int](expected.size - from + 1)
      assertEquals(cursor.sums(sums), expected.drop(from).sum)
      assertEquals(sums.toSeq.map(_.toLong), expected.drop(from).scanLeft(0L)(_ + _))
    }
    for (wrong <- Seq(-1L, Int.MaxValue + 1L, Long.MaxValue))
      intercept[ParquetDecodingException](runs(packed(Seq(1, wrong, 1), 8), 3).sums(new Array[Int](4)))
  }

  test("truncated and damaged bytes are refused, and nothing after them is read") {
    val random = new Random(13)
    val good = packed(Seq.fill(500)(random.nextLong() >> random.nextInt(60)), 8)
    val (truncated, madeUp, damaged) = (new Outcomes, new Outcomes, new Outcomes)
    def read(bytes: Array[Byte], outcomes: Outcomes) =
      outcomes.of {
        val cursor = runs(bytes, 500)
        cursor.writeAll(new Array[Byte](8 * cursor.size), 0, 8)
      } { case _: ParquetDecodingException | _: ArithmeticException => }
    for (length <- good.indices) read(good.take(length), truncated)
    for (_ <- 0 until 3000) read(random.nextBytes(random.nextInt(60)), madeUp)
    for (_ <- 0 until 3000) read(good.updated(random.nextInt(40), random.nextInt().toByte), damaged)
    assertEquals((truncated.values, truncated.refusals), (0, good.length))
    assert(madeUp.refusals > 2500, s"$madeUp")
    damaged.check(atLeast = 100)
    intercept[ParquetDecodingException](runs(good, 499))
  }

  test("a value count that is negative or too large is refused, and nothing is written") {
    def varint(value: Long): Seq[Byte] = if ((value & ~0x7fL) == 0) Seq(value.toByte)
    else (value & 0x7f | 0x80).toByte +: varint(value >>> 7)
    for (size <- Seq(-1L, Int.MinValue.toLong, Long.MinValue, Int.MaxValue + 1L, -(1L << 32) + 1)) {
      val hostile = (Seq(128L, 4L, size, -1L).flatMap(varint) ++ Seq.fill(40)(0.toByte)).toArray
      intercept[ParquetDecodingException](runs(hostile, 500))
      for ((physicalType, width) <- Seq(INT32 -> 4, INT64 -> 8)) {
        val column = new ColumnDescriptor(Array("c"), Types.required(physicalType).named("c"), 0, 0)
        val plain = new PageBuffer
        val canary = plain.ofSize(64)
        java.util.Arrays.fill(canary, 0x5a.toByte)
        val page = new DataPageV1(
          BytesInput.from(hostile: Array[Byte]),
          500,
          hostile.length,
          null,
          Encoding.RLE,
          Encoding.RLE,
          Encoding.DELTA_BINARY_PACKED
        )
        intercept[ParquetDecodingException] {
          new PlainPages(only(page), new PageBuffer, plain).getPageReader(column).readPage()
        }
        assert(canary.forall(_ == 0x5a), s"$size numbers of $width bytes")
      }
    }
  }

  test("a DELTA_BINARY_PACKED page becomes a PLAIN page with the same numbers and levels") {
    val random = new Random(14)
    for ((width, physical) <- Seq(4 -> INT32, 8 -> INT64); isOptional <- Seq(false, true); _ <- 0 until 20) {
      val expected = numbers(random, width)
      val column =
        if (isOptional) new ColumnDescriptor(Array("c"), Types.optional(physical).named("c"), 0, 1)
        else new ColumnDescriptor(Array("c"), Types.required(physical).named("c"), 0, 0)
      val levels = if (isOptional) {
        val runs = new PackedNumbers(1)
        expected.foreach { _ => runs.add(0); runs.add(1) }
        bytes(BytesInput.concat(BytesInput.fromInt(runs.bytes.size.toInt), runs.bytes))
      } else Array.emptyByteArray
      val entries = if (isOptional) expected.size * 2 else expected.size
      val stored = levels ++ packed(expected, width)
      val page = new DataPageV1(
        BytesInput.from(stored: Array[Byte]),
        entries,
        stored.length,
        null,
        Encoding.RLE,
        Encoding.RLE,
        Encoding.DELTA_BINARY_PACKED
      )
      val decoded =
        new PlainPages(only(page), new PageBuffer, new PageBuffer).getPageReader(column).readPage()
      decoded match {
        case plainPage: DataPageV1 =>
          assertEquals(plainPage.getValueEncoding, Encoding.PLAIN)
          assertEquals(plainPage.getValueCount, entries)
          assertEquals(bytes(plainPage.getBytes).toSeq, (levels ++ plain(expected, width)).toSeq)
        case other => fail(s"$other")
      }
    }
  }

  private def bytes(input: BytesInput): Array[Byte] = input.toInputStream.readAllBytes()

  private def only(page: DataPage): PageReadStore = new PageReadStore {
    override def getPageReader(column: ColumnDescriptor): PageReader = new PageReader {
      override def readDictionaryPage(): DictionaryPage = null
      override def getTotalValueCount: Long = page.getValueCount.toLong
      override def readPage(): DataPage = page
    }
    override def getRowCount: Long = 0
    override def getRowIndexes: Optional[PrimitiveIterator.OfLong] = Optional.empty()
  }
}
