/** Column indexes of any writer: a NaN bound gives no bounds, and a zero bound may have either sign. */
package shreddedvariant.parquet.file

import java.math.{BigDecimal => JavaDecimal}
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
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.{LogicalTypeAnnotation, PrimitiveType, Types}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.spark.sql.types.DoubleType
import shreddedvariant.layout.ScalarType
import shreddedvariant.stats._

class StatisticsReaderSuite extends shreddedvariant.Suite {
  private val rowsOfPage = 10L
  private val parquetMr = "parquet-mr version 1.15.1 (build abc)"
  private val parquetGo = "github.com/parquet-go/parquet-go version 0.23.0(build )"
  private val column = Column(Origin.Plain(Seq("a")), Seq(DoubleType), isStrict = false, "a")

  /** Statistics of the pages of a DOUBLE or FLOAT chunk, from their min and max. */
  private def pages(kind: PrimitiveTypeName, writer: String, ends: (Double, Double)*): Seq[LeafStatistics] = {
    val leaf = Types.optional(kind).named("a")
    val index = ColumnIndexBuilder.build(
      leaf,
      BoundaryOrder.UNORDERED,
      list(ends.map(_ => Boolean.box(false))),
      list(ends.map(_ => Long.box(0L))),
      list(ends.map { case (min, _) => plain(kind, min) }),
      list(ends.map { case (_, max) => plain(kind, max) })
    )
    facts(leaf, writer, index)
  }

  private def facts(leaf: PrimitiveType, writer: String, index: ColumnIndex): Seq[LeafStatistics] = {
    val count = index.getNullPages.size
    val rows = count * rowsOfPage
    val offsets = OffsetIndexBuilder.getBuilder
    for (page <- 0 until count) offsets.add(100L * page, 100, page * rowsOfPage)
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
    new StatisticsReader(VersionParser.parse(writer)).ofPages(chunk, index, offsets.build(), rows).map(_._2)
  }

  private def list[A](elements: Seq[A]): java.util.List[A] = java.util.List.of(elements: _*)

  private def plain(kind: PrimitiveTypeName, number: Double): ByteBuffer = {
    val bytes = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN)
    if (kind == DOUBLE) bytes.putDouble(number) else bytes.putFloat(number.toFloat)
    bytes.flip()
  }

  private def possible(kind: PrimitiveTypeName, facts: LeafStatistics): ValueDomain = {
    val scalar = if (kind == DOUBLE) ScalarType.Float64 else ScalarType.Float32
    ValueSource.typed(scalar, Seq("a"), column, mayLack = false, SkippingRules.all).get.possible(facts)
  }

  private def constant(number: Double) = Constant(Datum.Floating(number), number.toString)
  private def equal(number: Double): ColumnPredicate = ColumnPredicate.Equal(constant(number))
  private def less(number: Double): ColumnPredicate = ColumnPredicate.Less(constant(number))

  // The min and max of a page in the column index, the predicate, and whether the page has to be read.
  private val cases: Seq[(Double, Double, ColumnPredicate, Boolean)] = Seq(
    (1.0, 3.0, less(5), true),
    (1.0, 3.0, less(1), false),
    (1.0, 3.0, equal(4), false),
    (Double.NaN, Double.NaN, less(5), true),
    (Double.NaN, Double.NaN, equal(4), true),
    (Double.NaN, Double.NaN, ColumnPredicate.IsNaN, true),
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
    kind <- Seq(DOUBLE, FLOAT)
    writer <- Seq(parquetMr, parquetGo)
    (min, max, predicate, isRead) <- cases
    name = s"a page of $kind from $min to $max, by ${writer.take(10)}, for ${predicate.text("a")}"
  } test(s"$name is ${if (isRead) "read" else "skipped"}") {
    val page = pages(kind, writer, (min, max)).head
    assertEquals(new Judgement().mayBe(predicate, truth = true, possible(kind, page)), isRead)
  }

  test("top-N pruning uses no bounds of a page with a NaN bound, and never skips the page") {
    for {
      kind <- Seq(DOUBLE, FLOAT)
      writer <- Seq(parquetMr, parquetGo)
      isAscending <- Seq(true, false)
      nan <- Seq((Double.NaN, Double.NaN), (Double.NaN, 3.0), (1.0, Double.NaN))
    } {
      val first = new FirstRows(Top(column, isAscending, nullsFirst = false, rows = 15))
      val ranked = pages(kind, writer, nan, (1.0, 9.0), (100.0, 109.0)).map { page =>
        RankedRows(rowsOfPage, rowsOfPage, Seq(possible(kind, page)))
      }
      first.note("file", ranked.take(2))
      assert(first.mayHold(ranked(2)), s"$nan $isAscending")
      first.note("file", ranked)
      assert(first.mayHold(ranked(0)), s"$nan $isAscending")
    }
  }

  test("half floats are not supported and have no bounds") {
    val half =
      Types.optional(FIXED_LEN_BYTE_ARRAY).length(2).as(LogicalTypeAnnotation.float16Type()).named("a")
    assertEquals(StatisticsReader.decoder(half), None)
  }

  test("an empty bound of a decimal is no bound") {
    for (leaf <- Seq(Types.optional(BINARY), Types.optional(FIXED_LEN_BYTE_ARRAY).length(16))) {
      val column = leaf.as(LogicalTypeAnnotation.decimalType(2, 20)).named("a")
      val decode = StatisticsReader.decoder(column).get
      assertEquals(decode(Binary.EMPTY), None)
      assertEquals(
        decode(Binary.fromConstantByteArray(Array[Byte](1, 0))),
        Some(Datum.Exact(new JavaDecimal("2.56")))
      )
    }
  }
}
