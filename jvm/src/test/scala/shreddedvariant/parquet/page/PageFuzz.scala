/** Creates and damages pages of each encoding and codec, and decodes them as queries do. */
package shreddedvariant.parquet.page

import java.io.ByteArrayOutputStream
import java.nio.{ByteBuffer, ByteOrder}
import java.util.{Arrays, Optional, PrimitiveIterator}

import scala.util.Random

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.bytes.{BytesInput, HeapByteBufferAllocator}
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.column.page._
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.column.values.deltastrings.DeltaByteArrayWriter
import org.apache.parquet.column.values.deltalengthbytearray.DeltaLengthByteArrayValuesWriter
import org.apache.parquet.hadoop.CodecFactory
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.hadoop.metadata.CompressionCodecName._
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.parquet.schema.Types
import org.apache.spark.sql.types._
import shreddedvariant.parquet.read.{CheckedDifferences, PlainPages, RowPages}
import shreddedvariant.parquet.vector.{BatchPosition, LeafColumnReader, Rebasing, TextVector, VectorAllocator}
import shreddedvariant.stats.{RowRange, RowRanges}

private object PageFuzz {
  import Damage._

  private final val Canary = 0x5a.toByte
  private final val Around = 64

  /** A column type and an encoding; creates undamaged data pages of both versions. */
  final case class Kind(
      name: String,
      physicalType: PrimitiveTypeName,
      encoding: Encoding,
      dataType: DataType
  ) {
    def page(random: Random): Page = {
      val column = descriptor(random.nextInt(3))
      val (max, repeats) = (column.getMaxDefinitionLevel, column.getMaxRepetitionLevel > 0)
      val entries = 1 + random.nextInt(if (random.nextInt(4) == 0) 400 else 30)
      val repetitions = Seq.tabulate(entries)(i => if (repeats && i > 0) random.nextInt(2) else 0)
      val definitions = Seq.fill(entries)(if (max == 0 || random.nextInt(3) > 0) max else random.nextInt(max))
      val values = definitions.count(_ == max)
      val (bytes, dictionary) = encoded(random, values)
      val levels = Seq(level(repetitions, column.getMaxRepetitionLevel), level(definitions, max))
      val isOfVersion2 = random.nextInt(3) == 0
      Page(
        this,
        column,
        if (isOfVersion2) bytes else (levels.flatMap(withLength) ++ bytes).toArray,
        Option.when(isOfVersion2)(levels),
        entries,
        repetitions.count(_ == 0),
        dictionary,
        if (random.nextBoolean()) UNCOMPRESSED else codecs(random.nextInt(codecs.length))
      )
    }

    private def descriptor(nesting: Int) = {
      val required = Types.required(physicalType)
      val typed = (if (physicalType == FIXED_LEN_BYTE_ARRAY) required.length(5) else required).named("c")
      new ColumnDescriptor(Array("c"), typed, if (nesting == 2) 1 else 0, nesting)
    }

    private def encoded(random: Random, values: Int): (Array[Byte], Option[(Array[Byte], Int)]) =
      encoding match {
        case Encoding.PLAIN => (plain(random, values), None)
        case Encoding.RLE =>
          val runs = hybrid(Seq.fill(values)(random.nextInt(2)), 1)
          (int(runs.length) ++ runs, None)
        case Encoding.RLE_DICTIONARY =>
          val size = 1 + random.nextInt(20)
          val width = 32 - Integer.numberOfLeadingZeros(size - 1)
          val ids =
            if (width == 0) Array.emptyByteArray else hybrid(Seq.fill(values)(random.nextInt(size)), width)
          (width.toByte +: ids, Some(plain(random, size) -> size))
        case Encoding.DELTA_BINARY_PACKED =>
          val width = if (physicalType == INT32) 4 else 8
          val shift = random.nextInt(width * 8)
          val numbers = ByteBuffer.allocate(values * width).order(ByteOrder.LITTLE_ENDIAN)
          for (_ <- 0 until values)
            if (width == 4) numbers.putInt(random.nextInt() >> shift)
            else numbers.putLong(random.nextLong() >> shift)
          (all(new PackedDifferences().ofPlain(numbers.array, values * width, width)), None)
        case Encoding.DELTA_BYTE_ARRAY =>
          val writer = new DeltaByteArrayWriter(64, 1 << 20, new HeapByteBufferAllocator)
          for (_ <- 0 until values) writer.writeBytes(Binary.fromConstantByteArray(text(random)))
          (all(writer.getBytes), None)
        case Encoding.BYTE_STREAM_SPLIT =>
          val (bytes, width) = (plain(random, values), if (physicalType == FLOAT) 4 else 8)
          ((0 until width).flatMap(i => bytes.indices.by(width).map(at => bytes(at + i))).toArray, None)
        case _ =>
          val writer = new DeltaLengthByteArrayValuesWriter(64, 1 << 20, new HeapByteBufferAllocator)
          for (_ <- 0 until values) writer.writeBytes(Binary.fromConstantByteArray(text(random)))
          (all(writer.getBytes), None)
      }

    private def plain(random: Random, values: Int): Array[Byte] = physicalType match {
      case BOOLEAN => random.nextBytes((values + 7) / 8)
      case INT32 | FLOAT => random.nextBytes(4 * values)
      case INT64 | DOUBLE => random.nextBytes(8 * values)
      case INT96 => random.nextBytes(12 * values)
      case FIXED_LEN_BYTE_ARRAY => random.nextBytes(5 * values)
      case BINARY => Seq.fill(values)(text(random)).flatMap(t => int(t.length) ++ t).toArray
    }

    private def text(random: Random) = random.nextBytes(random.nextInt(12))
  }

  val kinds: Seq[Kind] = Seq(
    Kind("booleans, PLAIN", BOOLEAN, Encoding.PLAIN, BooleanType),
    Kind("booleans, RLE", BOOLEAN, Encoding.RLE, BooleanType),
    Kind("INT32, PLAIN", INT32, Encoding.PLAIN, IntegerType),
    Kind("INT32, dictionary", INT32, Encoding.RLE_DICTIONARY, IntegerType),
    Kind("INT32, differences", INT32, Encoding.DELTA_BINARY_PACKED, IntegerType),
    Kind("INT64, PLAIN", INT64, Encoding.PLAIN, LongType),
    Kind("INT64, dictionary", INT64, Encoding.RLE_DICTIONARY, LongType),
    Kind("INT64, differences", INT64, Encoding.DELTA_BINARY_PACKED, LongType),
    Kind("FLOAT, PLAIN", FLOAT, Encoding.PLAIN, FloatType),
    Kind("DOUBLE, dictionary", DOUBLE, Encoding.RLE_DICTIONARY, DoubleType),
    Kind("INT96, PLAIN", INT96, Encoding.PLAIN, TimestampNTZType),
    Kind("fixed bytes, PLAIN", FIXED_LEN_BYTE_ARRAY, Encoding.PLAIN, BinaryType),
    Kind("texts, PLAIN", BINARY, Encoding.PLAIN, StringType),
    Kind("texts, dictionary", BINARY, Encoding.RLE_DICTIONARY, StringType),
    Kind("texts, DELTA_LENGTH_BYTE_ARRAY", BINARY, Encoding.DELTA_LENGTH_BYTE_ARRAY, StringType),
    Kind("texts, DELTA_BYTE_ARRAY", BINARY, Encoding.DELTA_BYTE_ARRAY, StringType),
    Kind("FLOAT, BYTE_STREAM_SPLIT", FLOAT, Encoding.BYTE_STREAM_SPLIT, FloatType),
    Kind("DOUBLE, BYTE_STREAM_SPLIT", DOUBLE, Encoding.BYTE_STREAM_SPLIT, DoubleType)
  )

  /** The codecs that Spark writes without further libraries. */
  private val codecs = Seq(ZSTD, ZSTD, ZSTD, SNAPPY, GZIP, LZ4, LZ4_RAW)

  /**
   * A page, and its dictionary as bytes and number of values. A page of version 2 has `levels`, of which
   * `bytes` has none.
   */
  final case class Page(
      kind: Kind,
      column: ColumnDescriptor,
      bytes: Array[Byte],
      levels: Option[Seq[Array[Byte]]],
      entries: Int,
      rows: Int,
      dictionary: Option[(Array[Byte], Int)],
      codec: CompressionCodecName,
      damage: Array[Byte] => Array[Byte] = identity,
      size: Int => Int = identity
  ) {

    /** Damages one to three parts of the page: bytes, counts, sizes, or the compressed bytes. */
    def damaged(random: Random): Page =
      (0 to random.nextInt(3)).foldLeft(this)((page, _) => page.wrong(random))

    private def wrong(random: Random): Page = random.nextInt(12) match {
      case 0 => copy(entries = hostile(random, entries))
      case 1 if dictionary.isDefined => copy(dictionary = dictionary.map(d => (d._1, hostile(random, d._2))))
      case 2 if dictionary.isDefined => copy(dictionary = dictionary.map(d => (spoilt(random, d._1), d._2)))
      case 3 if codec != UNCOMPRESSED => copy(damage = spoilt(new Random(random.nextInt()), _))
      case 4 if codec != UNCOMPRESSED => copy(size = hostile(new Random(random.nextInt()), _))
      case 5 if levels.isDefined => copy(levels = levels.map(_.map(spoilt(random, _))))
      case _ => copy(bytes = spoilt(random, bytes))
    }

    /** Decodes the page as a whole page, and as a page with single selected rows. */
    def decode(random: Random): Unit =
      if (ValueCopy.takes(kind.encoding, column.getPrimitiveType)) decodeAndCut(random)
      else inVectors(new CheckedDifferences(pages(new Canaries)), rows)

    private def decodeAndCut(random: Random): Unit = {
      val whole = new Canaries
      val plain = new PlainPages(pages(whole), whole.buffer, whole.plain).getPageReader(column)
      plain.readDictionaryPage()
      plain.readPage() match {
        case plainPage: DataPageV1 if plainPage.getValueEncoding != kind.encoding => whole.check(plainPage)
        case _ => ()
      }
      whole.check()
      val cut = new Canaries
      val spans =
        RowRanges.of(Seq.fill(1 + random.nextInt(3))(random.nextInt(rows)).distinct.sorted.map(from =>
          RowRange(from.toLong, from + 1L)
        ))
      val reader = new RowPages(pages(cut), spans, cut.buffer).getPageReader(column)
      reader.readDictionaryPage()
      reader.readPage()
      cut.check()
      if (random.nextInt(10) == 0) inVectors(new PlainPages(pages(whole), whole.buffer, whole.plain), rows)
      if (random.nextInt(10) == 0) inVectors(new RowPages(pages(cut), spans, cut.buffer), spans.size.toInt)
    }

    /**
     * Decodes with Spark's decoder. `LeafColumnReader` turns its exceptions into errors of this data source.
     */
    private def inVectors(pages: PageReadStore, rows: Int): Unit = {
      val vectors = new VectorAllocator(64, offHeap = false)
      val leaf =
        new LeafColumnReader(column, kind.dataType, Rebasing.none, vectors, new BatchPosition("file"))
      try {
        leaf.neededWhen(_ => true).eagerly().keepLevels(_ => true)
        val texts = Option.when(kind.dataType == StringType)(new TextVector(leaf.vector, leaf.keepTexts()))
        leaf.open(pages, null, null)
        for (from <- 0 until rows by 64) {
          leaf.read(math.min(64, rows - from))
          for (entry <- 0 until leaf.entries if !leaf.vector.isNullAt(entry)) kind.dataType match {
            case StringType => texts.get.getUTF8String(entry); leaf.vector.getUTF8String(entry)
            case BooleanType => leaf.vector.getBoolean(entry)
            case IntegerType => leaf.vector.getInt(entry)
            case FloatType => leaf.vector.getFloat(entry)
            case DoubleType => leaf.vector.getDouble(entry)
            case BinaryType => leaf.vector.getBinary(entry)
            case _ => leaf.vector.getLong(entry)
          }
        }
      } finally { vectors.close(); leaf.close() }
    }

    private def pages(canaries: Canaries): PageReadStore = new PageReadStore {
      private var next = 0
      override def getPageReader(column: ColumnDescriptor): PageReader = new PageReader {
        override def readDictionaryPage(): DictionaryPage =
          dictionary.map(d =>
            new DictionaryPage(BytesInput.from(d._1: Array[Byte]), d._2, Encoding.PLAIN)
          ).orNull
        override def getTotalValueCount: Long = 1
        override def readPage(): DataPage = {
          next += 1
          def data = if (codec != UNCOMPRESSED) unpacked(canaries.buffer) else canaries.around(bytes)
          if (next > 1) null
          else if (levels.isDefined)
            DataPageV2.uncompressed(
              rows,
              0,
              entries,
              0L,
              canaries.around(levels.get(0)),
              canaries.around(levels.get(1)),
              kind.encoding,
              data,
              Statistics.createStats(column.getPrimitiveType)
            )
          else
            new DataPageV1(
              data,
              entries,
              bytes.length,
              0L,
              rows,
              Statistics.createStats(column.getPrimitiveType),
              Encoding.RLE,
              Encoding.RLE,
              kind.encoding
            )
        }
      }
      override def getRowCount: Long = rows.toLong
      override def getRowIndexes: Optional[PrimitiveIterator.OfLong] = Optional.empty()
    }

    private def unpacked(buffer: PageBuffer): BytesInput = {
      val (zstd, others, codecs) = tools.get
      val compressor = if (codec == ZSTD) zstd else others.getCompressor(codec)
      val packed = damage(all(compressor.compress(BytesInput.from(bytes: Array[Byte]))))
      codecs.into(buffer, inParts = true) {
        codecs.getDecompressor(codec).decompress(BytesInput.from(packed: Array[Byte]), size(bytes.length))
      }
    }
  }

  private val tools =
    ThreadLocal.withInitial { () =>
      val conf = new Configuration(false)
      (new ZstdCompressor(Seq(1)), new CodecFactory(conf, 1024), new PageCodecs(conf))
    }

  /** Arrays for pages with canary bytes before and after the page, which decoders must not overwrite. */
  private final class Canaries {
    val buffer = new PageBuffer
    val plain = new PageBuffer
    private val to = plain.ofSize(8192)
    Arrays.fill(to, Canary)
    private var sources = Seq.empty[(Array[Byte], Array[Byte])]

    def around(bytes: Array[Byte]): BytesInput = {
      val fence = Array.fill(Around)(Canary)
      val fenced = fence ++ bytes ++ fence
      sources +:= (fenced -> fenced.clone)
      BytesInput.from(fenced, Around, bytes.length)
    }

    /** Checks the bytes after a page that was decoded to PLAIN. */
    def check(page: DataPageV1): Unit = {
      val bytes = page.getBytes.toInputStream.slice(page.getUncompressedSize)
      if (bytes.hasArray && (bytes.array eq to))
        for (offset <- page.getUncompressedSize until to.length)
          if (to(offset) != Canary) throw new AssertionError(s"byte $offset")
    }

    def check(): Unit =
      for ((now, before) <- sources)
        if (!Arrays.equals(now, before)) throw new AssertionError("the page was written to")
  }

  private def level(levels: Seq[Int], max: Int): Array[Byte] =
    if (max == 0) Array.emptyByteArray else hybrid(levels, 32 - Integer.numberOfLeadingZeros(max))

  /** Levels of a page of version 1; a column without levels has none. */
  private def withLength(levels: Array[Byte]): Array[Byte] =
    if (levels.isEmpty) levels else int(levels.length) ++ levels

  private def hybrid(numbers: Seq[Int], width: Int): Array[Byte] = {
    val runs = numbers.grouped(16).map { part =>
      val run = new PackedNumbers(width)
      part.foreach(run.add)
      all(run.bytes)
    }
    runs.toArray.flatten
  }

  private def all(bytes: BytesInput): Array[Byte] = {
    val out = new ByteArrayOutputStream
    bytes.writeAllTo(out)
    out.toByteArray
  }
}
