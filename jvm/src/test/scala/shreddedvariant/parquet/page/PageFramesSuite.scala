/** Of a page in several frames, only the frames with needed bytes are decompressed. */
package shreddedvariant.parquet.page

import java.nio.file.{Path => LocalPath}

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Random

import com.github.luben.zstd.Zstd
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.ParquetReadOptions
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.io.{LocalInputFile, ParquetDecodingException}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BINARY
import org.apache.parquet.schema.Types
import org.apache.spark.sql.types.StringType
import shreddedvariant.{Value, VariantFile}
import shreddedvariant.layout.ShapeParser
import shreddedvariant.parquet.file.{LeafChunks, RowGroup}
import shreddedvariant.parquet.read.{GroupSource, ReadCounts}
import shreddedvariant.parquet.vector.{BatchPosition, LeafColumnReader, Rebasing, VectorAllocator}
import shreddedvariant.stats.{RowRange, RowRanges}

class PageFramesSuite extends shreddedvariant.Suite {
  private val random = new Random(3)
  private val page = random.alphanumeric.take(200_000).mkString.getBytes("US-ASCII")
  private def framed(sizes: Seq[Int]): Array[Byte] = {
    val starts = sizes.scanLeft(0)(_ + _)
    starts.zip(sizes).flatMap { case (from, size) => Zstd.compress(page.slice(from, from + size)) }.toArray
  }

  private def column(name: String) =
    new ColumnDescriptor(Array(name), Types.required(BINARY).named(name), 0, 0)

  private def compress(compressor: ZstdCompressor, bytes: Array[Byte], ofLongTexts: Boolean) = {
    var compressed: Array[Byte] = null
    compressor.of(column(s"$ofLongTexts ${bytes.length}"), ofLongTexts) {
      compressed = compressor.compress(BytesInput.from(bytes: Array[Byte])).toInputStream.readAllBytes()
    }
    compressed
  }

  test("only frames with needed bytes are decompressed, each once") {
    val sizes = Seq(1000, 1, 50_000, 17_000, 131_999)
    val starts = sizes.scanLeft(0)(_ + _)
    val compressed = framed(sizes)
    for (_ <- 0 until 200) {
      val filled = mutable.ArrayBuffer.empty[Int]
      val frames =
        PageFrames.of(compressed, 0, compressed.length, page.length, (_, _, to, _) => filled += to).get
      val expected = mutable.Set.empty[Int]
      for (_ <- 0 until 3) {
        val from = random.nextInt(page.length)
        val until = from + random.nextInt(math.min(page.length - from, 20_000)) + 1
        frames.need(from, until)
        expected ++= sizes.indices.filter(i => starts(i) < until && from < starts(i + 1)).map(starts)
      }
      assertEquals(filled.sorted.toSeq, expected.toSeq.sorted)
    }
  }

  test("needed bytes of a page are decompressed, other frames may not be") {
    val codecs = new PageCodecs(new Configuration(false))
    val buffer = new PageBuffer
    val compressed = BytesInput.from(framed(Seq(60_000, 60_000, 80_000)): Array[Byte])
    val zstd = codecs.getDecompressor(CompressionCodecName.ZSTD)
    def read(inParts: Boolean) =
      codecs.into(buffer, inParts)(zstd.decompress(compressed, page.length)).toInputStream.slice(
        page.length
      ).array
    assertEquals(read(inParts = false).take(page.length).toSeq, page.toSeq)
    java.util.Arrays.fill(buffer.ofSize(page.length), 0.toByte)
    val array = read(inParts = true)
    buffer.need(70_000, 70_001)
    assertEquals(array.slice(60_000, 120_000).toSeq, page.slice(60_000, 120_000).toSeq)
    assertEquals((array.take(60_000) ++ array.drop(120_000)).toSet, Set(0.toByte))
    buffer.needAll()
    assertEquals(array.take(page.length).toSeq, page.toSeq)
    codecs.release()
  }

  test("a page with one frame, frames without a size, or another total size is decompressed whole") {
    def isInParts(compressed: Array[Byte], size: Int) =
      PageFrames.of(compressed, 0, compressed.length, size, (_, _, _, _) => ()).isDefined
    val several = framed(Seq(100_000, 100_000))
    assert(isInParts(several, page.length))
    assert(!isInParts(framed(Seq(page.length)), page.length))
    assert(!isInParts(several, page.length - 1) && !isInParts(several, page.length + 1))
    assert(!isInParts(several.dropRight(1), page.length))
    val stream = new java.io.ByteArrayOutputStream
    val zstd = new com.github.luben.zstd.ZstdOutputStream(stream)
    zstd.write(page)
    zstd.close()
    assert(!isInParts(stream.toByteArray ++ several, 2 * page.length))
  }

  test("a damaged frame is refused when it is needed") {
    val codecs = new PageCodecs(new Configuration(false))
    val compressed = framed(Seq(100_000, 100_000))
    // Damages the entropy tables of the first frame.
    for (i <- 12 until 40) compressed(i) = -1
    val buffer = new PageBuffer
    val zstd = codecs.getDecompressor(CompressionCodecName.ZSTD)
    intercept[ParquetDecodingException] {
      codecs.into(buffer, inParts = true)(zstd.decompress(
        BytesInput.from(compressed: Array[Byte]),
        page.length
      ))
      buffer.need(0, 10)
    }
    codecs.release()
  }

  test("pages of long texts get the smallest frames that do not lose repetitions") {
    val compressor = new ZstdCompressor(Seq(1, 3))
    def frames(bytes: Array[Byte], ofLongTexts: Boolean) = {
      val compressed = compress(compressor, bytes, ofLongTexts)
      assertEquals(Zstd.decompress(compressed, bytes.length).toSeq, bytes.toSeq)
      val sizes = mutable.ArrayBuffer.empty[Int]
      PageFrames.of(compressed, 0, compressed.length, bytes.length, (_, _, _, size) => sizes += size)
        .foreach(_.need(0, bytes.length))
      // The last frame takes the rest.
      sizes.dropRight(1).toSet
    }
    val Seq(small, large) = ZstdCompressor.Frames: @unchecked
    assertEquals(frames(page, ofLongTexts = true), Set(small))
    assertEquals(frames(page, ofLongTexts = false), Set.empty[Int])
    // Each frame contains the phrase once without a reference.
    val phrase = page.take(200)
    val phrases = page.grouped(800).flatMap(phrase ++ _).toArray
    assertEquals(frames(phrases, ofLongTexts = true), Set(large))
    val repeated = Array.fill(20)(page.take(18_000)).flatten
    assertEquals(frames(repeated, ofLongTexts = true), Set.empty[Int])
    compressor.release()
  }

  test("single rows of pages in frames have their texts, also beside rows without a text") {
    val rows = 4000
    val texts = (0 until rows).map(i => s"$i-" + random.alphanumeric.take(60).mkString)
    val values = (0 until rows).map { i =>
      Value.Obj(if (i % 7 == 3) Map.empty else Map("t" -> Value.Text(texts(i))))
    }
    VariantFile.withFile { file =>
      val shape = ShapeParser.parse("t STRING")
      VariantFile.write(file, values.map(Value.encode(_)), shape, codec = CompressionCodecName.ZSTD)
      for (selected <- Seq(Seq(0), Seq(rows - 1), 0 until rows by 501, 3 until rows by 7, 100 until 900)) {
        val spans = RowRanges.of(selected.map(i => RowRange(i.toLong, i + 1L)))
        assertEquals(read(file, spans), selected.map(i => if (i % 7 == 3) null else texts(i)))
      }
    }
  }

  private def read(file: LocalPath, rows: RowRanges): Seq[String] = {
    val codecs = new PageCodecs(new Configuration(false))
    val options = ParquetReadOptions.builder().withCodecFactory(codecs).build()
    val reader = ParquetFileReader.open(new LocalInputFile(file), options)
    val vectors = new VectorAllocator(rows.size.toInt, offHeap = false)
    try {
      val schema = reader.getFooter.getFileMetaData.getSchema
      val path = schema.getPaths.asScala.find(_.containsSlice(Seq("t", "typed_value"))).get
      val leaf =
        new LeafColumnReader(
          schema.getColumnDescription(path),
          StringType,
          Rebasing.none,
          vectors,
          new BatchPosition("f")
        )
      val group = new RowGroup(reader.getRowGroups.get(0), 0, new LeafChunks(schema))
      assert(group.chunk(leaf.path).get.getEncodings.contains(Encoding.DELTA_LENGTH_BYTE_ARRAY))
      val source = new GroupSource(reader, codecs, None, None, new ReadCounts)
      leaf.open(source.read(group, Seq(leaf), rows)(leaf), null, group)
      leaf.eagerly().read(rows.size.toInt)
      (0 until rows.size.toInt).map { i =>
        if (leaf.vector.isNullAt(i)) null else leaf.vector.getUTF8String(i).toString
      }
    } finally {
      vectors.close()
      reader.close()
    }
  }
}
