/** Pages as column indexes of any writer tell of them: an end that is NaN tells nothing, and a zero may be either one. */
package shreddedvariant.parquet.file

import java.nio.{ByteBuffer, ByteOrder}

import org.apache.parquet.VersionParser
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.{ColumnChunkMetaData, ColumnPath, CompressionCodecName}
import org.apache.parquet.internal.column.columnindex.{
  BoundaryOrder,
  ColumnIndex,
  ColumnIndexBuilder,
  OffsetIndexBuilder
}
import org.apache.parquet.schema.{LogicalTypeAnnotation, PrimitiveType, Types}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.spark.sql.types.DoubleType
import shreddedvariant.layout.ScalarType
import shreddedvariant.stats.{ColumnPredicate => Asked, _}

class StatisticsReaderSuite extends munit.FunSuite {
  private val rowsOfPage = 10L
  private val parquetMr = "parquet-mr version 1.15.1 (build abc)"
  private val parquetGo = "github.com/parquet-go/parquet-go version 0.23.0(build )"
  private val column = Column(Origin.Plain(Seq("a")), Seq(DoubleType), isStrict = false, "a")

  /** The pages of a chunk of doubles or floats, by their least and greatest values. */
  private def pages(of: PrimitiveTypeName, writer: String, ends: (Double, Double)*): Seq[LeafStatistics] = {
    val leaf = Types.optional(of).named("a")
    val index = ColumnIndexBuilder.build(
      leaf,
      BoundaryOrder.UNORDERED,
      list(ends.map(_ => Boolean.box(false))),
      list(ends.map(_ => Long.box(0L))),
      list(ends.map { case (least, _) => plain(of, least) }),
      list(ends.map { case (_, greatest) => plain(of, greatest) })
    )
    facts(leaf, writer, index)
  }

  private def facts(leaf: PrimitiveType, writer: String, index: ColumnIndex): Seq[LeafStatistics] = {
    val count = index.getNullPages.size
    val rows = count * rowsOfPage
    val places = OffsetIndexBuilder.getBuilder
    for (page <- 0 until count) places.add(100L * page, 100, page * rowsOfPage)
    val chunk = ColumnChunkMetaData.get(
      ColumnPath.get("a"),
      leaf,
      CompressionCodecName.UNCOMPRESSED,
      null,
      java.util.Set.of(),
      Statistics.createStats(leaf),
      0L,
      0L,
      rows,
      0L,
      0L
    )
    new StatisticsReader(VersionParser.parse(writer)).ofPages(chunk, index, places.build(), rows).map(_._2)
  }

  private def list[A](of: Seq[A]): java.util.List[A] = java.util.List.of(of: _*)

  private def plain(of: PrimitiveTypeName, number: Double): ByteBuffer = {
    val bytes = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN)
    if (of == DOUBLE) bytes.putDouble(number) else bytes.putFloat(number.toFloat)
    bytes.flip()
  }

  private def possible(of: PrimitiveTypeName, facts: LeafStatistics): ValueDomain = {
    val scalar = if (of == DOUBLE) ScalarType.Float64 else ScalarType.Float32
    ValueSource.typed(scalar, Seq("a"), column, mayLack = false, SkippingRules.all).get.possible(facts)
  }

  private def constant(number: Double) = Constant(Datum.Floating(number), number.toString)
  private def equal(number: Double): Asked = Asked.Equal(constant(number))
  private def less(number: Double): Asked = Asked.Less(constant(number))

  // The ends of a page as its index has them, what is asked, and whether the page has to be read.
  private val cases: Seq[(Double, Double, Asked, Boolean)] = Seq(
    (1.0, 3.0, less(5), true),
    (1.0, 3.0, less(1), false),
    (1.0, 3.0, equal(4), false),
    (Double.NaN, Double.NaN, less(5), true),
    (Double.NaN, Double.NaN, equal(4), true),
    (Double.NaN, Double.NaN, Asked.IsNaN, true),
    (Double.NaN, 3.0, less(-5), true),
    (Double.NaN, 3.0, equal(4), true),
    (1.0, Double.NaN, equal(4), true),
    (1.0, Double.NaN, less(0), true),
    (0.0, 3.0, equal(-0.0), true),
    (-3.0, -0.0, equal(0.0), true),
    (0.0, 0.0, equal(-0.0), true),
    (-0.0, -0.0, equal(0.0), true),
    (0.0, 3.0, less(0.0), false),
    (0.0, 3.0, less(-0.0), false),
    (-3.0, -0.0, less(-0.0), true)
  )

  for {
    of <- Seq(DOUBLE, FLOAT)
    writer <- Seq(parquetMr, parquetGo)
    (least, greatest, asked, isRead) <- cases
    name = s"a page of $of from $least to $greatest, by ${writer.take(10)}, for ${asked.text("a")}"
  } test(s"$name is ${if (isRead) "read" else "skipped"}") {
    val page = pages(of, writer, (least, greatest)).head
    assertEquals(new Judgement().mayBe(asked, truth = true, possible(of, page)), isRead)
  }

  test("a page whose ends are NaN stands before nobody in an order, and nobody before it") {
    for {
      of <- Seq(DOUBLE, FLOAT)
      writer <- Seq(parquetMr, parquetGo)
      isAscending <- Seq(true, false)
      nan <- Seq((Double.NaN, Double.NaN), (Double.NaN, 3.0), (1.0, Double.NaN))
    } {
      val first = new FirstRows(Top(column, isAscending, nullsFirst = false, rows = 15))
      val ranked = pages(of, writer, nan, (1.0, 9.0), (100.0, 109.0)).map { page =>
        RankedRows(rowsOfPage, rowsOfPage, Seq(possible(of, page)))
      }
      first.note("file", ranked.take(2))
      assert(first.mayHold(ranked(2)), s"$nan $isAscending")
      first.note("file", ranked)
      assert(first.mayHold(ranked(0)), s"$nan $isAscending")
    }
  }

  test("half floats are no type of ours, and nothing is known of them") {
    val half =
      Types.optional(FIXED_LEN_BYTE_ARRAY).length(2).as(LogicalTypeAnnotation.float16Type()).named("a")
    assertEquals(StatisticsReader.decoder(half), None)
  }
}
