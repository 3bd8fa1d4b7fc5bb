/** Every value that the encoding allows passes the check; every fault that readers do not notice is found. */
package shreddedvariant.binary

import scala.util.Random

import org.scalacheck.Gen
import org.scalacheck.Prop.forAllNoShrink
import org.scalacheck.rng.Seed
import shreddedvariant.{Outcomes, Value}

class WellFormedSuite extends shreddedvariant.LawSuite {
  property("every value is well formed, in any order of its dictionary") {
    forAllNoShrink(Value.values(4), Gen.long) { (value, seed) =>
      val (metadata, bytes) = Value.encode(value, keys => new Random(seed).shuffle(keys))
      WellFormed.check(metadata, bytes)
      true
    }
  }

  test("changed bytes are either well formed or refused") {
    val outcomes = new Outcomes
    for (seed <- 0 until 100) {
      val random = new Random(seed.toLong)
      val (metadata, bytes) =
        Value.encode(Value.values(3).pureApply(Gen.Parameters.default, Seed(seed.toLong)))
      for (_ <- 0 to 20) {
        val changed = bytes.clone
        changed(random.nextInt(changed.length)) = random.nextInt().toByte
        outcomes.of(WellFormed.check(metadata, changed)) { case _: MalformedVariant => }
      }
    }
    outcomes.check(atLeast = 100)
  }

  // {"a": 1, "b": 2}: header, size, ids, offsets, two values of a byte of content.
  private val metadata = Array[Byte](1, 2, 0, 1, 2, 'a', 'b')
  private def obj(ids: Seq[Int], offsets: Seq[Int]) =
    (Seq(2, 2) ++ ids ++ offsets ++ Seq(3 << 2, 1, 3 << 2, 2)).map(_.toByte).toArray

  private val shared = Array[Byte](2, 2, 0, 1, 0, 0, 9, 7 << 2) ++ new Array[Byte](8)

  private def refuses(fault: String, value: Array[Byte], reason: String)(implicit loc: munit.Location): Unit =
    test(s"refused: $fault") {
      val e = intercept[MalformedVariant](WellFormed.check(metadata, value))
      assertEquals(e.reason, reason)
    }

  test("an object may have its values in any order") {
    WellFormed.check(metadata, obj(Seq(0, 1), Seq(0, 2, 4)))
    WellFormed.check(metadata, obj(Seq(0, 1), Seq(2, 0, 4)))
  }
  refuses("keys out of order", obj(Seq(1, 0), Seq(0, 2, 4)), "the keys of an object are not in order")
  refuses("a key twice", obj(Seq(1, 1), Seq(0, 2, 4)), "the keys of an object are not in order")
  refuses("an id beyond the keys", obj(Seq(0, 2), Seq(0, 2, 4)), "it names key 2 of 2")
  refuses(
    "a value that ends after its array",
    Array[Byte](3, 1, 0, 1, 3 << 2, 5),
    "a value ends after the value that contains it"
  )
  refuses("a value that two fields share", shared, "its parts overlap or end too early")
  refuses(
    "a string that is not UTF-8",
    Array[Byte](1 | 2 << 2, 0xc3.toByte, 0x28),
    "a string is no UTF-8"
  )

  test("very deep nesting does not overflow the stack") {
    var deep = Array[Byte](0)
    for (_ <- 0 until 3000) deep = Array[Byte](3 | 3 << 2, 1, 0, 0, 0, 0) ++ size(deep) ++ deep
    WellFormed.check(metadata, deep)
  }

  private def size(bytes: Array[Byte]) = Array.tabulate(4)(i => (bytes.length >>> 8 * i).toByte)
}
