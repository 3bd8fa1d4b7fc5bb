/** When it is worth finding rows before their values are decoded, and how often that is tried. */
package shreddedvariant.parquet.read

import shreddedvariant.parquet.bind.Attempts

class LateCostSuite extends munit.FunSuite {
  private val variants = LateCost(filterColumns = 1, leaves = 31, bytesOfRow = 200)
  private val numbers = LateCost(filterColumns = 3, leaves = 2, bytesOfRow = 16)

  test("few rows of whole variants are found first, many are not") {
    assert(variants.isWorth(0.001))
    assert(variants.isWorth(0.03))
    assert(!variants.isWorth(0.25))
  }

  test("values that are decoded in no time are decoded for all rows, unless their pages can be left alone") {
    assert(!numbers.isWorth(0.01))
    assert(!numbers.isWorth(0.5))
    assert(numbers.isWorth(0))
  }

  test("more survivors are never worth more") {
    for {
      leaves <- 1 to 100 by 7
      bytes <- 1 to 1000 by 37
      cost = LateCost(filterColumns = 2, leaves, bytes.toDouble)
      share <- 0 until 20
    } assert(cost.isWorth(share / 20.0) || !cost.isWorth((share + 1) / 20.0))
  }

  test(
    "an attempt that did not pay is followed by more and more row groups without one, one that did by none"
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
