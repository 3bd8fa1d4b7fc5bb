/**
 * Pages that are decompressed into one array, one after the other, give the same values as pages in separate
 * arrays.
 */
package shreddedvariant.parquet.page

import scala.util.Random

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.spark.sql.types.{DoubleType, LongType, StringType}
import shreddedvariant.{Value, VariantFile}
import shreddedvariant.binary.Encoding
import shreddedvariant.layout.{PathColumn, PathResult, PathStep, ShapeParser}

class PageBufferSuite extends shreddedvariant.Suite {
  private val rows = 1500
  private val shape = ShapeParser.parse("n BIGINT, few STRING, all STRING, d DOUBLE, list ARRAY<STRING>")

  /** Values that differ between pages. In some rows, a value is missing or has another type. */
  private val values = (0 until rows).map { i =>
    val fields = Map(
      "n" -> (if (i % 11 == 0) Value.Text(s"n$i") else Value.Integer(i * 7L, 8)),
      "few" -> Value.Text(s"text ${i / 60 % 9}"),
      "all" -> Value.Text(s"$i" * (i % 9)),
      "d" -> Value.Fixed(Encoding.Float64, double(i / 8.0)),
      "list" -> Value.Arr(Seq.tabulate(i % 4)(j => Value.Text(s"${i + j}")))
    )
    Value.Obj(fields.filterNot(i % 5 == 0 && _._1 == "all"))
  }

  private def double(value: Double): Seq[Byte] = {
    val bits = java.lang.Double.doubleToRawLongBits(value)
    (0 until 8).map(i => (bits >>> 8 * i).toByte)
  }

  private def write(codec: CompressionCodecName)(check: java.nio.file.Path => Unit): Unit =
    VariantFile.withFile { file =>
      VariantFile.write(file, values.map(Value.encode(_)), shape, codec = codec, rowsOfPage = 100)
      check(file)
    }

  test("whole variants of many pages, in batches that end inside pages") {
    for (batch <- Seq(7, 100, 256, 4096)) write(CompressionCodecName.ZSTD) { file =>
      val read = VariantFile.read(file, batchSize = batch).map(v => Value.decode(v._1, v._2))
      assertEquals(read.map(Value.logical), values.map(Value.logical))
    }
  }

  test("paths of many pages") {
    val paths = Seq("n" -> LongType, "few" -> StringType, "all" -> StringType, "d" -> DoubleType).map {
      case (key, dataType) =>
        PathColumn(Seq("v"), Seq(PathStep.Key(key)), PathResult.Value(dataType, Some("UTC")))
    }
    write(CompressionCodecName.UNCOMPRESSED) { plain =>
      val expected = VariantFile.readPaths(plain, paths)._1
      assertEquals(expected.size, rows)
      write(CompressionCodecName.ZSTD)(file => assertEquals(VariantFile.readPaths(file, paths)._1, expected))
    }
  }

  test("an array is reused only while a page is read into its buffer") {
    val codecs = new PageCodecs(new Configuration(false))
    val compressor = new ZstdCompressor(Seq(1))
    def page(size: Int) = compressor.compress(BytesInput.from(Array.fill[Byte](size)(size.toByte)))
    val zstd = codecs.getDecompressor(CompressionCodecName.ZSTD)
    def array(size: Int) = {
      val bytes = zstd.decompress(page(size), size).toInputStream.slice(size)
      assertEquals(bytes.get(bytes.position() + size - 1), size.toByte)
      bytes.array
    }
    val (one, other) = (new PageBuffer, new PageBuffer)
    val first = codecs.into(one)(array(100))
    assert(codecs.into(one)(array(50)) eq first)
    assert(codecs.into(other)(array(50)) ne first)
    assert(array(50) ne first, "a dictionary lasts as long as its row group")
    assert(codecs.into(one)(array(101)) ne first)
    codecs.release()
    compressor.release()
  }

  test("the array of a released buffer goes to exactly one other buffer") {
    inThread {
      val (one, other, third) = (new PageBuffer, new PageBuffer, new PageBuffer)
      val array = one.ofSize(100_000)
      one.release()
      one.release()
      assert(other.ofSize(50_000) eq array)
      assert(third.ofSize(50_000) ne array)
      assert(one.ofSize(50_000) ne array)
    }
  }

  test("the smallest pooled array that is large enough is reused, but none for a few bytes") {
    inThread {
      val arrays = Seq(300_000, 100_000, 200_000).map(PageArrays.take)
      arrays.foreach(PageArrays.give)
      assert(PageArrays.take(150_000) eq arrays(2))
      assert(PageArrays.take(150_000) eq arrays(0))
      assert(PageArrays.take(150_000).length >= 150_000)
      assertEquals(PageArrays.take(50).length, 50)
    }
  }

  test("an allocated buffer has the requested size, and its array is reused after release") {
    inThread {
      val allocator = new PageAllocator
      val bytes = allocator.allocate(70_001)
      assertEquals((bytes.position(), bytes.limit(), bytes.capacity), (0, 70_001, 70_001))
      assert(allocator.allocate(70_001).array ne bytes.array)
      allocator.release(bytes)
      assert(allocator.allocate(65_000).array eq bytes.array)
    }
  }

  for (
    codec <- Seq(CompressionCodecName.UNCOMPRESSED, CompressionCodecName.SNAPPY, CompressionCodecName.ZSTD)
  )
    test(s"row groups are read into the arrays of earlier row groups, $codec") {
      val random = new Random(5)
      def text = random.alphanumeric.take(100).mkString
      val few = Seq.fill(40)(text)
      val long = Seq.fill(4000)(
        Value.Obj(Map("few" -> Value.Text(few(random.nextInt(40))), "all" -> Value.Text(text)))
      )
      VariantFile.withFile { file =>
        VariantFile.write(
          file,
          long.map(Value.encode(_)),
          shape,
          codec = codec,
          rowsOfGroup = 1000,
          rowsOfPage = 250
        )
        assertEquals(
          VariantFile.read(file).map(v => Value.logical(Value.decode(v._1, v._2))),
          long.map(Value.logical)
        )
      }
    }

  /** Runs in a new thread, whose pool is empty. */
  private def inThread(check: => Unit): Unit = {
    var failure: Option[Throwable] = None
    val thread = new Thread(() =>
      try check
      catch { case e: Throwable => failure = Some(e) }
    )
    thread.start()
    thread.join()
    failure.foreach(throw _)
  }
}
