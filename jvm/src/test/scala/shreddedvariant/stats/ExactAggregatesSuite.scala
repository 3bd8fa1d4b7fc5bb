/** Counts and ends from statistics equal those of the rows; without any one of the needed laws, they differ. */
package shreddedvariant.stats

import org.apache.spark.sql.types._
import org.scalacheck.Gen
import org.scalacheck.rng.Seed
import shreddedvariant.layout.{PathColumn, PathResult, PathStep}

class ExactAggregatesSuite extends shreddedvariant.Suite {
  private val order = new DatumOrder(SkippingRules.all)

  private def aggregates(c: Case, laws: SkippingRules): Option[ExactAggregates] = {
    val path = PathColumn(Seq("v"), Seq(PathStep.Key("a")), PathResult.Value(c.target, None))
    val column = Column(Origin.Path(path), Seq(c.target), c.isStrict, "v.a")
    val tallies = SkippedRows.parts(c, column, laws).map { part =>
      val facts = part.leaf.map(leaf => written(SkippedRows.facts(c, leaf, order)))
      part.tally(facts.getOrElse(LeafStatistics.unknown(c.rows.size.toLong)))
    }
    if (tallies.forall(_.isDefined)) Some(tallies.flatten.foldLeft(ExactAggregates.none)(_.and(_))) else None
  }

  /** Statistics as in footers: without single values, and with zero bounds that cover zeros of both signs. */
  private def written(facts: LeafStatistics): LeafStatistics = {
    def widened(bound: Option[Datum], zero: Double) = bound.map {
      case Datum.Floating(0.0) => Datum.Floating(zero)
      case other => other
    }
    val bounds = Bounds(widened(facts.bounds.min, -0.0), widened(facts.bounds.max, 0.0))
    facts.copy(bounds = bounds, distinct = None, mayHold = None)
  }

  /** The reason why the aggregates from statistics are not those of the rows. */
  private def wrongly(c: Case, laws: SkippingRules): Option[String] = {
    val tally =
      try aggregates(c, laws)
      catch { case _: MatchError if !laws.hold(SkippingRule.OrderedCasts) => None }
    tally.flatMap { tally =>
      val outcomes = c.rows.map(SkippedRows.value(c, _))
      val values = outcomes.flatten.filter(_ != null)
      if (c.isStrict && outcomes.contains(None)) Some("a strict cast fails")
      else if (tally.values != values.size) Some(s"${tally.values} are not ${values.size}")
      else
        tally.ends.filter(_ => values.nonEmpty && isCompared(c.target)).flatMap { case (min, max) =>
          val sorted = values.flatMap(SkippedRows.compared).sorted(order)
          val same = isSame(sorted.head, min, sorted) && isSame(sorted.last, max, sorted)
          Option.unless(same)(s"$min and $max are not the ends of $sorted")
        }
    }.map(reason => s"$reason: ${c.scalar} AS ${c.target.sql} of ${c.rows}")
  }

  /** Zeros of both signs are equal, but an end must be a zero that a row has. */
  private def isSame(end: Datum, computed: Datum, values: Seq[Datum]) = (end, computed) match {
    case (_: Datum.Floating, Datum.Floating(number)) => order.equiv(end, computed) && values.exists {
        case Datum.Floating(value) => java.lang.Double.compare(value, number) == 0
        case _ => false
      }
    case _ => order.equiv(end, computed)
  }

  private def isCompared(dataType: DataType) = dataType match {
    case _: StringType | BinaryType | VariantType => false
    case _ => true
  }

  private def cases(seed: Long, number: Int): Iterator[Case] =
    Iterator.iterate(Seed(seed))(_.next).take(number).flatMap { seed =>
      SkippedRows.cases.apply(Gen.Parameters.default, seed)
    }

  private def unsound(laws: SkippingRules, number: Int): Option[String] =
    cases(2113, number).flatMap(wrongly(_, laws)).nextOption()

  test("aggregates from statistics equal those of the rows")(assertEquals(
    unsound(SkippingRules.all, 40000),
    None
  ))

  // The other laws are about predicates, and about comparisons between bounds and constants.
  private val needed = Seq(
    SkippingRule.ResidualRows,
    SkippingRule.StoredOutside,
    SkippingRule.VariantNulls,
    SkippingRule.OrderedCasts,
    SkippingRule.FailedCasts,
    SkippingRule.MissingStatistics,
    SkippingRule.NotANumber,
    SkippingRule.NegativeZero,
    SkippingRule.RowsThatLack
  )
  for (law <- needed)
    test(s"without $law, aggregates are wrong")(assert(unsound(SkippingRules(Set(law)), 40000).isDefined))

  test("many cases have aggregates") {
    val known = cases(815, 4000).count(aggregates(_, SkippingRules.all).isDefined)
    assert(known > 600, s"$known of 4000")
  }
}
