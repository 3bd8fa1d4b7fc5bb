/** Skipped rows are not in the top N; without any one of the needed laws, some are. */
package shreddedvariant.stats

import org.apache.spark.sql.types._
import org.scalacheck.Gen
import org.scalacheck.rng.Seed
import shreddedvariant.layout.{PathColumn, PathResult, PathStep}

class FirstRowsSuite extends shreddedvariant.Suite {
  private val compared = (dataType: DataType) =>
    dataType match {
      case ShortType | IntegerType | LongType | FloatType | DoubleType | _: DecimalType => true
      case BooleanType | DateType | TimestampType | TimestampNTZType | StringType | BinaryType => true
      case _ => false
    }

  private val ranks: Gen[Ranks] = for {
    groups <- SkippedRows.groups if compared(groups.head.target)
    ascending <- Gen.oneOf(true, false)
    nullsFirst <- Gen.oneOf(true, false)
    limit <- Gen.choose(1L, 2L)
  } yield Ranks(groups, ascending, nullsFirst, limit)

  private def skipped(r: Ranks, laws: SkippingRules): Seq[Case] = {
    val ranked = r.ranked(laws)
    val first = new FirstRows(r.top, laws)
    ranked.zipWithIndex.foreach { case (rows, i) => first.note(i, Seq(rows)) }
    r.groups.zip(ranked).filterNot { case (_, rows) => first.mayHold(rows) }.map(_._1)
  }

  private def wrongly(r: Ranks, laws: SkippingRules): Option[String] = {
    // Without the law OrderedCasts, values of two kinds are compared, which raises an error.
    val skippedGroups =
      try skipped(r, laws)
      catch {
        case _: IllegalArgumentException | _: MatchError if !laws.hold(SkippingRule.OrderedCasts) => Nil
      }
    val strict = r.groups.head.isStrict
    def values(c: Case) = c.rows.map(SkippedRows.value(c, _))
    val all = r.groups.flatMap(values).map(_.flatMap(SkippedRows.compared))
    skippedGroups.flatMap(group => values(group)).collectFirst {
      case None if strict => s"an error is skipped in ${r.top.text}: $r"
      case value if all.count(r.isBefore(_, value.flatMap(SkippedRows.compared))) < r.rows =>
        s"$value is skipped in ${r.top.text}: $r"
    }
  }

  private def cases(seed: Long, number: Int): Iterator[Ranks] =
    Iterator.iterate(Seed(seed))(_.next).take(number).flatMap(seed => ranks(Gen.Parameters.default, seed))

  private def unsound(laws: SkippingRules, number: Int): Option[String] =
    cases(391, number).flatMap(wrongly(_, laws)).nextOption()

  test("skipped rows are not in the top N")(assertEquals(unsound(SkippingRules.all, 15000), None))

  // The other laws are about predicates only.
  private val needed = Seq(
    SkippingRule.StrictlyBefore,
    SkippingRule.ResidualRows,
    SkippingRule.StoredOutside,
    SkippingRule.OrderedCasts,
    SkippingRule.FailedCasts,
    SkippingRule.StrictCasts,
    SkippingRule.MissingStatistics,
    SkippingRule.NotANumber,
    SkippingRule.UnsignedBytes,
    SkippingRule.RowsThatLack
  )
  for (law <- needed)
    test(s"without $law, rows of the top N are skipped")(assert(unsound(
      SkippingRules(Set(law)),
      15000
    ).isDefined))

  test("the bound from a footer stays when the bounds of the pages are weaker") {
    def text(s: String): Datum = Datum.Bytes(s.getBytes("UTF-8"))
    def rows(min: String, max: String) = {
      val between = Values.Between(Bounds(Some(text(min)), Some(text(max))), orNaN = false)
      RankedRows(10, 10, Seq(ValueDomain(between, orNull = false)))
    }
    val column = Column(Origin.Plain(Seq("t")), Seq(StringType), isStrict = false, "t")
    val first = new FirstRows(Top(column, isAscending = true, nullsFirst = false, rows = 3))
    first.note("one", Seq(rows("aab", "aad")))
    first.note("other", Seq(rows("xxb", "xxd")))
    first.note("one", Seq(rows("aa", "ab")))
    assert(!first.mayHold(rows("xxb", "xxd")))
    assert(!first.mayHold(rows("aae", "aaf")))
    assert(first.mayHold(rows("aac", "aaf")))
  }

  test("many cases have skipped rows") {
    val count = cases(77, 4000).count(r => skipped(r, SkippingRules.all).nonEmpty)
    assert(count > 400, s"$count of 4000")
  }
}

/** Groups of rows of one path, as files store them, and the order and limit of the query. */
private final case class Ranks(groups: Seq[Case], ascending: Boolean, nullsFirst: Boolean, rows: Long) {
  private val order = new DatumOrder(SkippingRules.all)
  private def one: Case = groups.head
  val column: Column = {
    val path = PathColumn(Seq("v"), Seq(PathStep.Key("a")), PathResult.Value(one.target, None))
    Column(Origin.Path(path), Seq(one.target), one.isStrict, "v.a")
  }
  val top: Top = Top(column, ascending, nullsFirst, rows)

  def ranked(laws: SkippingRules): Seq[RankedRows] = groups.map { group =>
    val parts = SkippedRows.parts(group, column, laws)
    def facts(part: ValueSource) =
      part.leaf.fold(LeafStatistics.unknown(group.rows.size.toLong))(SkippedRows.facts(group, _, order))
    val tallies = parts.map(part => part.tally(facts(part)))
    val values =
      if (tallies.forall(_.isDefined)) tallies.flatten.foldLeft(ExactAggregates.none)(_.and(_)).values else 0L
    RankedRows(group.rows.size.toLong, values, parts.map(part => part.possible(facts(part))))
  }

  /** Whether `a` sorts strictly before `b`; None is NULL. */
  def isBefore(a: Option[Datum], b: Option[Datum]): Boolean = (a, b) match {
    case (Some(a), Some(b)) => if (ascending) order.lt(a, b) else order.gt(a, b)
    case (None, Some(_)) => nullsFirst
    case (Some(_), None) => !nullsFirst
    case (None, None) => false
  }
}
