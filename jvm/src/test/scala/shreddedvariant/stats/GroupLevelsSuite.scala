/** The presence of a group, derived from the levels of a leaf below it, is that of the rows. */
package shreddedvariant.stats

class GroupLevelsSuite extends shreddedvariant.Suite {
  private val leafLevel = 2

  /** The levels of the leaf in each row, and the level of its group. */
  private val cases: Seq[(Seq[Int], Int)] = for {
    rows <- 1 to 4
    levels <- Iterator.fill(rows)(0 to leafLevel).foldLeft(Seq(Seq.empty[Int])) { (all, next) =>
      all.flatMap(levels => next.map(levels :+ _))
    }
    group <- 0 to leafLevel
  } yield (levels, group)

  private def facts(levels: Seq[Int], countsNulls: Boolean, countsLevels: Boolean) = LeafStatistics(
    levels.size.toLong,
    Option.when(countsNulls)(levels.count(_ < leafLevel).toLong),
    Bounds.none,
    hasNoNaN = false,
    levels = Option.when(countsLevels)((0 to leafLevel).map(level => levels.count(_ == level).toLong))
  )

  private def wrong(laws: SkippingRules): Seq[String] = for {
    (levels, group) <- cases
    countsNulls <- Seq(true, false)
    countsLevels <- Seq(true, false)
    statistics = facts(levels, countsNulls, countsLevels)
    part = ValueSource.Group(Seq("stored"), group, laws)
    possible = part.possible(statistics)
    present = levels.count(_ >= group)
    isWrong = present > 0 && possible.values == Values.None ||
      present < levels.size && !possible.orNull ||
      part.tally(statistics).exists(_.values != present)
    if isWrong
  } yield s"a group of level $group, rows $levels, $statistics: $possible, ${part.tally(statistics)}"

  test("no row with or without the group is excluded, and counts equal those of the rows")(assertEquals(
    wrong(SkippingRules.all),
    Nil
  ))

  test("without MissingStatistics, rows are wrongly excluded")(
    assert(wrong(SkippingRules(Set(SkippingRule.MissingStatistics))).nonEmpty)
  )

  test("counts of too few levels are ignored") {
    val part = ValueSource.Group(Seq("stored"), leafLevel, SkippingRules.all)
    val short = facts(Seq(0, 1, 2), countsNulls = false, countsLevels = true).copy(levels = Some(Vector(3L)))
    assertEquals(part.tally(short), None)
    assertEquals(part.possible(short), ValueDomain.anything)
  }

  test("counts of levels always suffice; null counts suffice if the group is always present") {
    for ((levels, group) <- cases) {
      val part = ValueSource.Group(Seq("stored"), group, SkippingRules.all)
      assert(part.tally(facts(levels, countsNulls = false, countsLevels = true)).isDefined)
      val byNulls = part.tally(facts(levels, countsNulls = true, countsLevels = false))
      assertEquals(byNulls.isDefined, group == 0 || !levels.exists(_ < leafLevel), s"$levels $group")
    }
  }
}
