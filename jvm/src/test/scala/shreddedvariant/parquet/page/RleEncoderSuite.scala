/** `RleEncoder` writes the same bytes as Parquet's own writer. */
package shreddedvariant.parquet.page

import scala.util.Random

import org.apache.parquet.bytes.HeapByteBufferAllocator
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridEncoder

class RleEncoderSuite extends shreddedvariant.Suite {
  private def encodeByParquet(width: Int, numbers: Seq[Int]): Array[Byte] = {
    val encoder = new RunLengthBitPackingHybridEncoder(width, 64, 1 << 20, new HeapByteBufferAllocator)
    numbers.foreach(encoder.writeInt)
    encoder.toBytes.toInputStream.readAllBytes()
  }

  private def encode(writer: RleEncoder, numbers: Seq[Int]): Array[Byte] = {
    writer.clear()
    writer.add(numbers.toArray, numbers.size)
    writer.encoded.toInputStream.readAllBytes()
  }

  /** Short runs, of lengths below and above eight, and long runs, of numbers with `width` bits. */
  private def numbers(random: Random, width: Int): Seq[Int] =
    Seq.fill(random.nextInt(200)) {
      val number = if (width == 0) 0 else random.nextInt() >>> (32 - width)
      Seq.fill(if (random.nextInt(20) == 0) random.nextInt(100000) else 1 + random.nextInt(20))(number)
    }.flatten

  test("all widths, page after page") {
    val random = new Random(1)
    for (width <- 0 to 31) {
      val writer = new RleEncoder(width)
      for (_ <- 0 until 20) {
        val page = numbers(random, width)
        assertEquals(encode(writer, page).toSeq, encodeByParquet(width, page).toSeq)
      }
    }
  }

  test("no numbers, one, and numbers that never repeat") {
    for (page <- Seq(Nil, Seq(5), 0 until 7, 0 until 8, 0 until 9, (0 until 100000).map(_ % 512)))
      assertEquals(encode(new RleEncoder(9), page).toSeq, encodeByParquet(9, page).toSeq)
  }
}
