/**
 * Statistics of a file, merged from its row groups: a fact that one row group lacks is unknown for the file.
 */
package shreddedvariant.parquet.file

import shreddedvariant.stats._

class FooterStatisticsSuite extends shreddedvariant.Suite {
  private def group(
      min: Option[Int],
      max: Option[Int],
      nulls: Option[Long] = Some(0),
      hasNoNaN: Boolean = true
  ) =
    LeafStatistics(
      10,
      nulls,
      Bounds(min.map(n => Datum.exact(n.toLong)), max.map(n => Datum.exact(n.toLong))),
      hasNoNaN
    )
  private val ten = group(Some(10), Some(19))
  private val thirty = group(Some(30), Some(39), Some(4))
  private val allNull = group(None, None, Some(10))

  private def ends(facts: LeafStatistics) = (facts.bounds.min, facts.bounds.max)
  private def exact(min: Long, max: Long) = (Some(Datum.exact(min)), Some(Datum.exact(max)))

  test("rows and nulls add up, bounds are the widest") {
    val all = FooterStatistics.merged(Seq(thirty, ten))
    assertEquals((all.entries, all.nulls, ends(all)), (20L, Option(4L), exact(10, 39)))
  }

  test("a row group without values does not change the bounds") {
    assertEquals(ends(FooterStatistics.merged(Seq(ten, allNull))), exact(10, 19))
    assertEquals(FooterStatistics.merged(Seq(ten, allNull.copy(hasNoNaN = false))).hasNoNaN, true)
    assertEquals(ends(FooterStatistics.merged(Seq(allNull, allNull))), (None, None))
    assertEquals(FooterStatistics.merged(Seq(allNull, allNull)).areAllNull, true)
    assertEquals(ends(FooterStatistics.merged(Nil)), (None, None))
  }

  for (
    (what, unbounded) <- Seq(
      "no bounds" -> group(None, None),
      "no bounds and no count of nulls" -> group(None, None, None)
    )
  ) test(s"one row group with values and $what removes the bounds of the file, in any order") {
    for (groups <- Seq(unbounded, ten, thirty).permutations)
      assertEquals(ends(FooterStatistics.merged(groups)), (None, None))
  }

  test("a bound that one row group lacks is unknown, and the other bound is kept") {
    val lower = group(Some(1), None)
    for (groups <- Seq(lower, ten, thirty).permutations)
      assertEquals(ends(FooterStatistics.merged(groups)), (Option(Datum.exact(1)), None))
  }

  test("one row group that may have a NaN makes a file that may have a NaN") {
    for (groups <- Seq(ten.copy(hasNoNaN = false), ten, allNull).permutations)
      assertEquals(FooterStatistics.merged(groups).hasNoNaN, false)
  }

  test("the null count is unknown if one row group lacks it") {
    for (groups <- Seq(group(Some(1), Some(2), None), ten, thirty).permutations)
      assertEquals(FooterStatistics.merged(groups).nulls, None)
  }

  test("numbers and strings have the order of their types") {
    def facts(min: Datum, max: Datum) =
      LeafStatistics(1, Some(0), Bounds(Some(min), Some(max)), hasNoNaN = true)
    def text(s: String): Datum = Datum.Bytes(s.getBytes("UTF-8"))
    val strings = FooterStatistics.merged(Seq(facts(text("b"), text("é")), facts(text("a"), text("z"))))
    assertEquals(
      strings.bounds.min.zip(strings.bounds.max).map { case (a, b) => (shown(a), shown(b)) },
      Some(("a", "é"))
    )
    val numbers = FooterStatistics.merged(Seq(
      facts(Datum.Floating(-0.5), Datum.Floating(Double.PositiveInfinity)),
      facts(Datum.Floating(Double.NegativeInfinity), Datum.Floating(1))
    ))
    assertEquals(
      ends(numbers),
      (Option(Datum.Floating(Double.NegativeInfinity)), Option(Datum.Floating(Double.PositiveInfinity)))
    )
  }

  private def shown(datum: Datum) = datum match {
    case Datum.Bytes(bytes) => new String(bytes, "UTF-8")
    case other => other.toString
  }
}
