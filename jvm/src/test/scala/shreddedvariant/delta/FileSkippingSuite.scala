/** Files with matching rows are not skipped by the statistics that we write; without a needed law, they are. */
package shreddedvariant.delta

import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.Type.Repetition
import org.apache.spark.sql.types._
import org.scalacheck.Gen
import org.scalacheck.rng.Seed
import shreddedvariant.layout.{ParquetLayout, ScalarType, Shape}
import shreddedvariant.stats._

class FileSkippingSuite extends shreddedvariant.Suite {
  private val schema = new StructType().add("v", VariantType)
  private val typed = Seq("v", "typed_value", "a", "typed_value")
  private val value = Seq("v", "typed_value", "a", "value")

  /** A file whose leaves have the statistics of a generated case, as if all row groups were one. */
  private def file(c: Case): DeltaFile = {
    val group = ParquetLayout.variantGroup(
      "v",
      Repetition.OPTIONAL,
      None,
      Shape.objectOf(Seq("a" -> Shape.Scalar(c.scalar)))
    )
    val order = new DatumOrder(SkippingRules.all)
    val facts = Map(
      typed -> SkippedRows.facts(c, Seq("typed"), order),
      value -> SkippedRows.facts(c, Seq("value"), order)
    )
    val contents =
      FileContents(c.rows.size.toLong, new MessageType("spark_schema", group), facts, keepsCalendar = true)
    val statistics = FileStatistics(schema.json, StatisticsColumns(Seq((Seq("v"), VariantType)), 32))
    DeltaFile("f", 1, 1, Map.empty, Some(statistics.json(contents)), Map(NewFile.Tag -> NewFile.TagValue))
  }

  private def mayMatch(c: Case, laws: SkippingRules): Boolean =
    SkippedRows.predicate(c).usable().forall { predicate =>
      new FileSkipping(schema, predicate, caseSensitive = true, laws).mayMatch(file(c))
    }

  private def wrongly(c: Case, laws: SkippingRules): Option[Any] = {
    val skips =
      try !mayMatch(c, laws)
      catch {
        case _: IllegalArgumentException | _: MatchError if !laws.hold(SkippingRule.OrderedCasts) => false
      }
    if (skips) c.rows.find(row => SkippedRows.outcome(c, row).forall(_ == true)) else None
  }

  /** Without paths into arrays, which have no bounds, and without the draft layout, which Delta tables lack. */
  private def cases(seed: Long, number: Int): Iterator[Case] =
    Iterator.iterate(Seed(seed))(_.next).take(number)
      .flatMap(seed => SkippedRows.cases.apply(Gen.Parameters.default, seed)).filter(c =>
        c.at.isEmpty && !c.isDraft
      )

  private def unsound(laws: SkippingRules, number: Int = 12000): Option[String] =
    cases(4711, number).flatMap { c =>
      wrongly(c, laws).map(row =>
        s"${SkippedRows.predicate(c).text} skipped $row of ${c.rows} by ${file(c).stats.get}"
      )
    }.nextOption()

  test("skipped files have no matching rows")(assertEquals(unsound(SkippingRules.all), None))

  for (
    law <- Seq(
      SkippingRule.OrderedCasts,
      SkippingRule.StrictCasts,
      SkippingRule.ThreeValuedNot,
      SkippingRule.UnsignedBytes
    )
  )
    test(s"without $law, matching rows are skipped")(assert(unsound(
      SkippingRules(Set(law)),
      40000
    ).isDefined))

  test("many files are skipped") {
    val skipped = cases(815, 8000).count(!mayMatch(_, SkippingRules.all))
    assert(skipped > 200, s"$skipped of 8000")
  }

  // ---- statistics of plain columns, from any writer ----

  private def plain(dataType: DataType, json: String)(tests: ColumnPredicate*): Seq[Boolean] = {
    val columns = new StructType().add("c", dataType)
    tests.map { test =>
      val predicate =
        Predicate.Holds(Column(Origin.Plain(Seq("C")), Seq(dataType), isStrict = false, "c"), test)
      new FileSkipping(columns, predicate, caseSensitive = false)
        .mayMatch(DeltaFile("f", 1, 1, Map.empty, Some(json), Map.empty))
    }
  }
  private def less(datum: Datum) = ColumnPredicate.Less(Constant(datum, ""))
  private def equal(datum: Datum) = ColumnPredicate.Equal(Constant(datum, ""))
  private def stats(min: String, max: String, nulls: Int = 0) =
    s"""{"numRecords":3,"minValues":{"c":$min},"maxValues":{"c":$max},"nullCount":{"c":$nulls}}"""

  test("numbers, null counts and missing statistics") {
    val five = stats("5", "9")
    assertEquals(
      plain(LongType, five)(less(Datum.exact(5)), less(Datum.exact(6)), ColumnPredicate.IsNull),
      Seq(false, true, false)
    )
    assertEquals(
      plain(LongType, stats("5", "9", 3))(less(Datum.exact(6)), ColumnPredicate.IsNull),
      Seq(false, true)
    )
    assertEquals(plain(LongType, "{}")(less(Datum.exact(6)), ColumnPredicate.IsNull), Seq(true, true))
    assertEquals(plain(LongType, "no JSON")(less(Datum.exact(6))), Seq(true))
    assertEquals(plain(LongType, stats("\"x\"", "[1]"))(less(Datum.exact(6))), Seq(true))
  }

  test("null counts are ignored if rows may be deleted") {
    val loose = stats("5", "9").init + ""","tightBounds":false}"""
    assertEquals(plain(LongType, loose)(ColumnPredicate.IsNull, less(Datum.exact(5))), Seq(true, false))
  }

  test("times are truncated to milliseconds, with or without a zone") {
    val second = 1700000000000000L
    val text = "\"2023-11-14T22:13:20.000"
    for ((kind, zone) <- Seq(TimestampType -> "Z\"", TimestampType -> "+00:00\"", TimestampNTZType -> "\""))
      assertEquals(
        plain(kind, stats(text + zone, text + zone))(
          equal(Datum.exact(second + 999)),
          equal(Datum.exact(second + 1000)),
          equal(Datum.exact(second - 1))
        ),
        Seq(true, false, false)
      )
  }

  test("bounds of other writers may exclude a NaN; our files with a NaN have no bounds") {
    val bounds = stats("1.0", "2.0")
    val greater = Predicate.Not(Predicate.Holds(
      Column(Origin.Plain(Seq("c")), Seq(DoubleType), isStrict = false, "c"),
      ColumnPredicate.Less(Constant(Datum.Floating(3), ""), orEqual = true)
    ))
    val skipping = new FileSkipping(new StructType().add("c", DoubleType), greater, caseSensitive = true)
    val file = DeltaFile("f", 1, 1, Map.empty, Some(bounds), Map.empty)
    assertEquals(skipping.mayMatch(file), true)
    assertEquals(skipping.mayMatch(file.copy(tags = Map(NewFile.Tag -> NewFile.TagValue))), false)
  }

  test("bounds of paths without our tag skip nothing") {
    val lower = VariantBounds.encode(Seq(VariantBound("$['a']", ScalarType.Int64, Datum.exact(5)))).get
    val json =
      s"""{"numRecords":3,"minValues":{"v":"$lower"},"maxValues":{"v":"$lower"},"nullCount":{"v":0}}"""
    val path = shreddedvariant.layout.PathColumn(
      Seq("v"),
      Seq(shreddedvariant.layout.PathStep.Key("a")),
      shreddedvariant.layout.PathResult.Value(LongType, None)
    )
    val predicate =
      Predicate.Holds(Column(Origin.Path(path), Seq(LongType), isStrict = false, "v.a"), less(Datum.exact(5)))
    val skipping = new FileSkipping(schema, predicate, caseSensitive = true)
    val file = DeltaFile("f", 1, 1, Map.empty, Some(json), Map.empty)
    assertEquals(skipping.mayMatch(file), true)
    assertEquals(skipping.mayMatch(file.copy(tags = Map(NewFile.Tag -> NewFile.TagValue))), false)
  }

  // ---- the columns with statistics ----

  private val wide = new StructType().add("p", LongType).add("a", LongType)
    .add("s", new StructType().add("x.y", LongType).add("z", LongType)).add("v", VariantType)

  for (
    (properties, columns, paths) <- Seq(
      (Map.empty[String, String], Seq("a", "s/x.y", "s/z", "v"), 32),
      (Map("delta.dataSkippingNumIndexedCols" -> "2"), Seq("a", "s/x.y"), 2),
      (Map("delta.dataSkippingNumIndexedCols" -> "0"), Nil, 0),
      (Map("delta.dataSkippingNumIndexedCols" -> "-1"), Seq("a", "s/x.y", "s/z", "v"), Int.MaxValue),
      (Map("delta.dataSkippingStatsColumns" -> "v, s.`x.y`"), Seq("s/x.y", "v"), 32),
      (Map("delta.dataSkippingStatsColumns" -> "S"), Seq("s/x.y", "s/z"), 32)
    )
  ) test(s"columns that have statistics: ${properties.mkString(", ")}") {
    val found = StatisticsColumns.of(wide, Seq("p"), properties)
    assertEquals((found.columns.map(_._1.mkString("/")), found.paths), (columns, paths))
  }
}
