/** What is skipped holds no row that matches; and each law is needed for that: without it, the suite finds such a row. */
package shreddedvariant.stats

import org.scalacheck.Gen
import org.scalacheck.rng.Seed

class SkippingRulesSuite extends munit.FunSuite {

  private def mayMatch(c: Case, laws: SkippingRules): Boolean = {
    val order = new DatumOrder(SkippingRules.all)
    val judgement = new Judgement(laws)
    SkippedRows.predicate(c, laws).usable().forall { usable =>
      judgement.rows[Boolean](usable) { (column, test, truth) =>
        SkippedRows.parts(c, column, laws).exists { part =>
          val facts =
            part.leaf.fold(LeafStatistics.unknown(c.rows.size.toLong))(SkippedRows.facts(c, _, order))
          judgement.mayBe(test, truth, part.possible(facts))
        }
      }
    }
  }

  /** A row that was skipped although the filter is true of it, or brings the error that a strict cast must raise. */
  private def wrongly(c: Case, laws: SkippingRules): Option[Any] = {
    // Where casts of any order pass, values of two kinds meet, which are never compared otherwise.
    val skips =
      try !mayMatch(c, laws)
      catch { case _: IllegalArgumentException if !laws.hold(SkippingRule.OrderedCasts) => false }
    if (skips) c.rows.find(row => SkippedRows.outcome(c, row).forall(_ == true)) else None
  }

  private def cases(seed: Long, number: Int): Iterator[Case] =
    Iterator.iterate(Seed(seed))(_.next).take(number).flatMap { seed =>
      SkippedRows.cases.apply(Gen.Parameters.default, seed)
    }

  private def unsound(laws: SkippingRules, number: Int): Option[String] =
    cases(4711, number).flatMap { c =>
      wrongly(c, laws).map { row =>
        s"${SkippedRows.predicate(c).text} skipped $row of ${c.rows}\n ${c.scalar} AS ${c.target.sql} $c"
      }
    }.nextOption()

  test("what is skipped holds no row that matches")(assertEquals(unsound(SkippingRules.all, 40000), None))

  // The law of orders is that of FirstRowsSuite.
  for (law <- SkippingRule.all if law != SkippingRule.StrictlyBefore)
    test(s"without $law, rows that match are skipped") {
      assert(unsound(SkippingRules(Set(law)), 40000).isDefined)
    }

  test("much is skipped") {
    val skipped = cases(815, 4000).count(!mayMatch(_, SkippingRules.all))
    assert(skipped > 600, s"$skipped of 4000")
  }
}
