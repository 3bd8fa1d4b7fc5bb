/** Damaged bytes of counts are refused, or give counts whose sums are not negative. */
package shreddedvariant.infer

import scala.util.Random

import shreddedvariant.{Outcomes, ShreddedVariantException, Value}

class CountsBytesSuite extends shreddedvariant.Suite {
  import CountsSuite._

  private def refuses(fault: String, bytes: Seq[Int], reason: String)(implicit loc: munit.Location): Unit =
    test(s"counts are refused: $fault") {
      val e = intercept[ShreddedVariantException](Counts.fromBytes(bytes.map(_.toByte).toArray))
      assertEquals(e.condition, "SHREDDED_VARIANT_COUNTS")
      assert(e.getMessage.contains(reason), e.getMessage)
    }

  refuses("no bytes", Nil, "they end too early")
  refuses("another version", Seq(2, 0, 0, 0), "they are of another version, or no counts")
  refuses("an unknown flag", Seq(1, 0, 4, 0), "a flag is unknown")
  refuses("bytes after the end", Seq(1, 0, 0, 0, 0), "bytes follow their end")
  refuses("a number without end", Seq(1) ++ Seq.fill(12)(0xff), "a number is too large")
  refuses("unknown bits", Seq(1, 0, 0, 0x80, 0x80, 0x80, 0x04), "a number is too large")
  refuses("a count of 0", Seq(1, 1, 0, 1, 0), "a count is 0")
  refuses(
    "more fields than bytes",
    Seq(1, 1, 0, 0x80, 0x80, 0x80, 2, 0xff, 0x7f, 1, 97, 0),
    "they end too early"
  )
  refuses(
    "a name out of order",
    Seq(1, 1, 0, 0x80, 0x80, 0x80, 2, 2, 1, 98, 0, 1, 97, 0),
    "names are out of order"
  )
  refuses("a name twice", Seq(1, 1, 0, 0x80, 0x80, 0x80, 2, 2, 1, 97, 0, 1, 97, 0), "names are out of order")
  refuses(
    "a name that is too long",
    Seq(1, 1, 0, 0x80, 0x80, 0x80, 2, 1, 0xff, 0x7f),
    "a number is too large"
  )
  refuses(
    "a path beyond the limit",
    Seq(1, 1, 2, 1, 0x80, 0x80, 0x80, 2, 1, 1, 97, 0),
    "they have a path beyond their limit"
  )
  refuses(
    "elements without end",
    Seq(1, 1, 0) ++ Seq.fill(200)(Seq(0x80, 0x80, 0x80, 1)).flatten,
    "they are nested too deep"
  )

  test("changed bytes are either counts or refused") {
    val random = new Random(3)
    val good = of(Seq.tabulate(50)(i =>
      Some(Obj("a" -> Value.Integer(i.toLong, 8), s"b$i" -> Value.Arr(Seq(Value.Text("x")))))
    )).toBytes
    val outcomes = new Outcomes
    for (_ <- 0 until 20000) {
      val bytes = good.clone
      for (_ <- 0 to random.nextInt(3)) bytes(random.nextInt(bytes.length)) = random.nextInt().toByte
      outcomes.of {
        val counts =
          Counts.fromBytes(if (random.nextBoolean()) bytes else bytes.take(1 + random.nextInt(bytes.length)))
        counts.merge(Counts.fromBytes(good))
        Inference.shape(counts, Limits())
      } { case e: ShreddedVariantException => assertEquals(e.condition, "SHREDDED_VARIANT_COUNTS") }
    }
    outcomes.check(atLeast = 200)
  }

  test("sums of untrusted counts are never negative") {
    val counts = Counts.fromBytes(Array[Byte](1, 1, 0, 1) ++ Array.fill(8)(-1.toByte) :+ 0x7f.toByte)
    assertEquals(counts.values, Long.MaxValue)
    counts.merge(counts)
    assertEquals(counts.values, Long.MaxValue)
    assertEquals(Inference.shape(counts, Limits()).ddl, "BOOLEAN")
  }
}
