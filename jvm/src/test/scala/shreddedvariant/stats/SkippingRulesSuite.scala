/** Skipped rows do not match; each law is needed for that: without the law, the suite finds a skipped match. */
package shreddedvariant.stats

import org.scalacheck.Gen
import org.scalacheck.rng.Seed

class SkippingRulesSuite extends shreddedvariant.Suite {

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

  /** A skipped row for which the filter is true, or whose strict cast must raise an error. */
  private def wrongly(c: Case, laws: SkippingRules): Option[Any] = {
    // Without the law OrderedCasts, values of two kinds are compared, which raises an error.
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

  test("skipped rows do not match")(assertEquals(unsound(SkippingRules.all, 40000), None))

  // FirstRowsSuite tests StrictlyBefore.
  for (law <- SkippingRule.all if law != SkippingRule.StrictlyBefore)
    test(s"without $law, matching rows are skipped") {
      assert(unsound(SkippingRules(Set(law)), 40000).isDefined)
    }

  test("many cases are skipped") {
    val skipped = cases(815, 4000).count(!mayMatch(_, SkippingRules.all))
    assert(skipped > 600, s"$skipped of 4000")
  }
}
