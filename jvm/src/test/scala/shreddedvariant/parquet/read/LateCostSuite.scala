/** When late materialisation pays, and how often it is tried. */
package shreddedvariant.parquet.read

import shreddedvariant.parquet.bind.Attempts

class LateCostSuite extends shreddedvariant.Suite {
  private val variants = LateCost(filterColumns = 1, leaves = 31, bytesOfRow = 200)
  private val numbers = LateCost(filterColumns = 3, leaves = 2, bytesOfRow = 16)

  test("late materialisation pays for few rows of whole variants, not for many") {
    assert(variants.isWorth(0.001))
    assert(variants.isWorth(0.03))
    assert(!variants.isWorth(0.25))
  }

  test("late materialisation of cheap values pays only if no row passes") {
    assert(!numbers.isWorth(0.01))
    assert(!numbers.isWorth(0.5))
    assert(numbers.isWorth(0))
  }

  test(
    "after attempts that do not pay, more row groups are read without an attempt; after one that pays, none"
  ) {
    val attempts = new Attempts
    def pause() = Iterator.continually(attempts.next()).indexOf(true)
    assertEquals(pause(), 0)
    val pauses = (1 to 6).map { _ =>
      attempts.ended(paid = false)
      pause()
    }
    assertEquals(pauses, IndexedSeq(1, 3, 7, 15, 15, 15))
    attempts.ended(paid = true)
    assertEquals(pause(), 0)
  }
}
