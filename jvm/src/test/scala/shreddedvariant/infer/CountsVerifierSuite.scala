/** The verifier accepts the counted values, also in other widths, and finds every other value. */
package shreddedvariant.infer

import java.math.BigInteger

import org.scalacheck.Gen
import org.scalacheck.Prop.forAllNoShrink
import shreddedvariant.Value
import shreddedvariant.infer.CountsSuite.{of, Obj}

class CountsVerifierSuite extends shreddedvariant.LawSuite {
  private val rows: Gen[Seq[Option[Value]]] =
    Gen.choose(1, 10).flatMap(Gen.listOfN(_, Value.values(3).map(Option(_))))

  property("the same values in any order give no finding, and a missing row gives one") {
    forAllNoShrink(rows) { rows =>
      CountsVerifier.wrong(of(rows), of(rows.reverse)).isEmpty && CountsVerifier.wrong(
        of(rows),
        of(rows.tail)
      ).nonEmpty
    }
  }

  private def one(value: Value) = of(Seq(Some(Obj("a" -> value))))
  private def int(value: Long, width: Int) = one(Value.Integer(value, width))
  private def dec(unscaled: Long, scale: Int) = one(Value.Dec(BigInteger.valueOf(unscaled), scale, 4))

  test("an exact number may be read in a narrower width") {
    assertEquals(CountsVerifier.wrong(int(5, 8), int(5, 1)), Nil)
    assertEquals(CountsVerifier.wrong(dec(500, 2), int(5, 1)), Nil)
    assertEquals(CountsVerifier.wrong(dec(500, 2), dec(50, 1)), Nil)
  }

  test("more digits than the footer counts are found, with their path") {
    val finding = "its footer counts fewer digits for inference than there are"
    assertEquals(CountsVerifier.wrong(int(5, 8), int(50, 8)), Seq(("$['a']", finding)))
    assertEquals(CountsVerifier.wrong(int(5, 8), dec(51, 1)), Seq(("$['a']", finding)))
  }

  test("another kind, a missing path and a missing element are found") {
    assertEquals(
      CountsVerifier.wrong(int(5, 8), one(Value.Text("5"))).map(_._2),
      Seq(
        "its footer counts 1 values of kind number for inference and there are 0",
        "its footer counts 0 values of kind STRING for inference and there are 1"
      )
    )
    assertEquals(CountsVerifier.wrong(int(5, 8), of(Seq(Some(Obj())))).map(_._1), Seq("$['a']"))
    assertEquals(
      CountsVerifier.wrong(one(Value.Arr(Seq(Value.Bool(true)))), one(Value.Arr(Nil))).map(_._1),
      Seq("$['a'][*]")
    )
  }

  test("if paths were left out, only the numbers of rows are compared") {
    val cut = of(Seq(Some(Obj("a" -> Value.Text("x"), "b" -> Value.Text("y")))), maxPaths = 1)
    assert(cut.isCut)
    assertEquals(CountsVerifier.wrong(cut, of(Seq(Some(Obj())))), Nil)
    assertEquals(CountsVerifier.wrong(cut, of(Nil)).map(_._1), Seq("$"))
  }
}
