/** Pages of selected rows decode to the same values as the whole pages with Spark's own selection of rows. */
package shreddedvariant.parquet.read

import java.nio.ByteBuffer
import java.nio.file.{Path => LocalPath}

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.io.LocalInputFile
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.{MessageType, MessageTypeParser}
import org.apache.spark.sql.types._
import shreddedvariant.{Outcomes, VariantFile}
import shreddedvariant.parquet.file.{LeafChunks, RowGroup}
import shreddedvariant.parquet.page.{PackedNumbers, PageBuffer, RleDecoder}
import shreddedvariant.parquet.vector.{BatchPosition, LeafColumnReader, Rebasing, VectorAllocator}
import shreddedvariant.stats.{RowRange, RowRanges}

class RowPagesSuite extends shreddedvariant.Suite {
  private val schema: MessageType = MessageTypeParser.parseMessageType("""
    message m {
      required int32 i; optional int64 l; optional double d; optional float f; optional boolean b;
      required boolean rb; optional binary s (STRING); optional binary few (STRING);
      optional fixed_len_byte_array(5) x; optional int32 one; optional int32 never;
      optional group o { optional group p { optional int64 deep; } }
      optional group list (LIST) { repeated group list { optional int32 element; } }
      optional group lists (LIST) {
        repeated group list { optional group element (LIST) { repeated group list { optional binary element; } } }
      }
    }""")

  private val types = Map[String, DataType](
    "i" -> IntegerType,
    "l" -> LongType,
    "d" -> DoubleType,
    "f" -> FloatType,
    "b" -> BooleanType,
    "rb" -> BooleanType,
    "s" -> StringType,
    "few" -> StringType,
    "x" -> BinaryType,
    "one" -> IntegerType,
    "never" -> IntegerType,
    "o" -> LongType,
    "list" -> IntegerType,
    "lists" -> BinaryType
  )

  private def row(random: Random, i: Int): Group = {
    val row = new SimpleGroupFactory(schema).newGroup()
    def sometimes(share: Double)(add: => Any): Unit = if (random.nextDouble() < share) { add; () }
    row.add("i", i)
    row.add("rb", random.nextBoolean())
    sometimes(0.7)(row.add("l", random.nextLong()))
    // Long runs of nulls and of values.
    if (i / 40 % 3 > 0) row.add("d", random.nextDouble())
    sometimes(0.99)(row.add("f", random.nextFloat()))
    sometimes(0.6)(row.add("b", i / 20 % 2 == 0))
    sometimes(0.8)(row.add("s", "text " * random.nextInt(4) + random.nextInt()))
    sometimes(0.9)(row.add("few", s"value ${random.nextInt(300)}"))
    sometimes(0.5)(row.add("x", Binary.fromConstantByteArray(random.nextBytes(5))))
    sometimes(0.5)(row.add("one", 7))
    sometimes(0.8) {
      val o = row.addGroup("o")
      sometimes(0.8) { val p = o.addGroup("p"); sometimes(0.8)(p.add("deep", i.toLong)) }
    }
    sometimes(0.8) {
      val list = row.addGroup("list")
      for (_ <- 0 until random.nextInt(5)) {
        val element = list.addGroup("list")
        sometimes(0.8)(element.add("element", random.nextInt(40)))
      }
    }
    sometimes(0.8) {
      val lists = row.addGroup("lists")
      for (_ <- 0 until random.nextInt(3)) {
        val outer = lists.addGroup("list")
        sometimes(0.8) {
          val inner = outer.addGroup("element")
          for (_ <- 0 until random.nextInt(4)) {
            val element = inner.addGroup("list")
            sometimes(0.9)(element.add("element", "x" * random.nextInt(9)))
          }
        }
      }
    }
    row
  }

  private def write(file: LocalPath, rows: Seq[Group], version: WriterVersion, dictionary: Boolean): Unit = {
    val writer = ExampleParquetWriter.builder(new Path(file.toUri))
      .withType(schema)
      .withConf(new Configuration(false))
      .withWriterVersion(version)
      .withDictionaryEncoding(dictionary)
      .withDictionaryPageSize(1024)
      .withCompressionCodec(CompressionCodecName.UNCOMPRESSED)
      .withPageRowCountLimit(150)
      .build()
    try rows.foreach(writer.write)
    finally writer.close()
  }

  /** Decodes the levels and values of all entries of one leaf, in batches. */
  private def decode(
      pages: PageReadStore,
      group: RowGroup,
      column: Array[String],
      rows: Long
  ): Seq[String] = {
    val vectors = new VectorAllocator(64, offHeap = false)
    val leaf = new LeafColumnReader(
      schema.getColumnDescription(column),
      types(column.head),
      Rebasing.none,
      vectors,
      new BatchPosition("f")
    )
    leaf.keepLevels(_ => true)
    try {
      leaf.open(pages, null, group)
      val entries = Seq.newBuilder[String]
      var remaining = rows
      while (remaining > 0) {
        val n = math.min(remaining, 64).toInt
        leaf.read(n)
        for (e <- 0 until leaf.entries)
          entries += s"${leaf.repetition(e)} ${leaf.definition(e)} ${value(leaf, e)}"
        remaining -= n
      }
      entries.result()
    } finally vectors.close()
  }

  private def value(leaf: LeafColumnReader, entry: Int): Any =
    if (leaf.vector.isNullAt(entry)) null
    else
      leaf.vector.dataType match {
        case IntegerType => leaf.vector.getInt(entry)
        case LongType => leaf.vector.getLong(entry)
        case DoubleType => leaf.vector.getDouble(entry)
        case FloatType => leaf.vector.getFloat(entry)
        case BooleanType => leaf.vector.getBoolean(entry)
        case StringType => leaf.vector.getUTF8String(entry).toString
        case _ => leaf.vector.getBinary(entry).toSeq
      }

  private def selections(random: Random, rows: Int): Seq[RowRanges] = {
    def scattered(share: Double) = (0L until rows.toLong).filter(_ => random.nextDouble() < share)
      .map(i => RowRange(i, i + 1))
    Seq(
      scattered(0.005),
      scattered(0.1),
      scattered(0.7),
      Seq(RowRange(0, 1)),
      Seq(RowRange(rows - 1L, rows.toLong)),
      Seq(RowRange(100, 700)),
      Seq(RowRange(150, 300), RowRange(449, 452), RowRange(900, 901))
    ).map(RowRanges.of(_)).filterNot(_.isEmpty)
  }

  /** The columns whose pages are DELTA_BYTE_ARRAY: version 2 where a dictionary gets too large, or without one. */
  private def prefixed(version: WriterVersion, dictionary: Boolean): Set[String] =
    if (version == WriterVersion.PARQUET_1_0) Set.empty
    else Set("few", "s", "x") ++ Option.unless(dictionary)("lists.list.element.list.element")

  for {
    version <- WriterVersion.values.toSeq
    dictionary <- Seq(true, false)
  } test(s"$version, ${if (dictionary) "with" else "without"} a dictionary") {
    VariantFile.withFile { file =>
      val random = new Random(version.hashCode.toLong)
      val rows = 1100
      write(file, (0 until rows).map(row(random, _)), version, dictionary)
      val leftToSpark = scala.collection.mutable.Set.empty[String]
      for (spans <- selections(random, rows); column <- schema.getPaths.asScala) {
        def read[A](body: (PageReadStore, RowGroup) => A): A = {
          val reader = ParquetFileReader.open(new LocalInputFile(file))
          try {
            val group = new RowGroup(reader.getRowGroups.get(0), 0, new LeafChunks(schema))
            body(reader.readFilteredRowGroup(0, RowSelection.ranges(spans, rows.toLong)), group)
          } finally reader.close()
        }
        val expected = read((pages, group) => decode(pages, group, column, spans.size))
        val actual = read { (pages, group) =>
          val leaf = new LeafColumnReader(
            schema.getColumnDescription(column),
            types(column.head),
            Rebasing.none,
            new VectorAllocator(1, offHeap = false),
            new BatchPosition("f")
          )
          Option.when(RowPages.takes(group, leaf))(decode(
            new RowPages(pages, spans, new PageBuffer),
            group,
            column,
            spans.size
          ))
        }
        assertEquals(actual.getOrElse(expected), expected, s"${column.mkString(".")} $spans")
        if (actual.isEmpty) leftToSpark += column.mkString(".")
      }
      assertEquals(leftToSpark.toSet, prefixed(version, dictionary))
    }
  }

  test("numbers decode from runs as written, from any position") {
    val random = new Random(5)
    for (width <- 1 to 32; _ <- 0 until 8) {
      val mask = if (width == 32) -1 else (1 << width) - 1
      val numbers = Seq.fill(random.nextInt(6))(random.nextInt() & mask).flatMap { number =>
        if (random.nextBoolean()) Seq.fill(random.nextInt(40))(number)
        else Seq.fill(random.nextInt(40))(random.nextInt() & mask)
      }
      val encoded = new PackedNumbers(width)
      numbers.foreach(encoded.add)
      def runs = new RleDecoder(ByteBuffer.wrap(encoded.bytes.toInputStream.readAllBytes()), width)
      for (index <- numbers.indices by 7) {
        val cursor = runs
        val expected = numbers(index)
        assertEquals(cursor.count(index.toLong, expected), numbers.take(index).count(_ == expected).toLong)
        assertEquals(cursor.next(), expected)
        val skipping = runs
        skipping.skip(index.toLong)
        assertEquals(skipping.next(), expected)
      }
    }
  }

  test("a truncated page or damaged runs are refused, and nothing after the page is read") {
    val random = new Random(9)
    val outcomes = new Outcomes
    for (_ <- 0 until 2000) {
      val bytes = random.nextBytes(random.nextInt(30))
      val width = 1 + random.nextInt(8)
      val to = new PackedNumbers(width)
      outcomes.of {
        val runs = new RleDecoder(ByteBuffer.wrap(bytes), width)
        runs.count(random.nextInt(50).toLong, 1)
        runs.rows(3, 50, to)
        runs.copy(20, to)
      } {
        case _: org.apache.parquet.io.ParquetDecodingException | _: java.nio.BufferUnderflowException |
            _: IllegalArgumentException | _: IndexOutOfBoundsException =>
      }
    }
    outcomes.check(atLeast = 100)
  }
}
