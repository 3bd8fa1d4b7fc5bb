/** The specification of the shredding analyser, sentence by sentence, as the policy `majority`. */
package shreddedvariant.infer

import java.math.BigInteger

import scala.util.Random

import shreddedvariant.Value
import shreddedvariant.Value._
import shreddedvariant.layout.ShapeParser

class SpecInferenceSuite extends shreddedvariant.Suite {
  import CountsSuite.{of, Obj}
  import SpecInferenceSuite._

  private val majority = Limits(policy = Policy.Majority)

  private def ddl(rows: Seq[Value], limits: Limits = majority) =
    Inference.shape(of(rows.map(Some(_))), limits).ddl

  /**
   * `total` rows: for each value of `counts`, that number of rows with this value in the field `a`; others lack
   * `a`.
   */
  private def rows(total: Int, counts: (Value, Int)*): Seq[Value] = {
    val some = counts.flatMap { case (value, n) => Seq.fill(n)(Obj("a" -> value, "z" -> Text("x"))) }
    some ++ Seq.fill(total - some.size)(Obj("z" -> Text("x")))
  }

  // ---- "for a given set of variant values (regardless of row arrival order), this analyzer produces the same schema" ----

  test("regardless of row arrival order, the same shredded schema") {
    val values = Seq.tabulate(200)(i =>
      Obj(
        s"f${i % 40}" -> scalars(i % scalars.size)._1,
        "g" -> scalars(i % 7)._1,
        "o" -> Obj("x" -> Integer(i.toLong, 4))
      )
    )
    val shapes = (0 until 10).map(seed => ddl(new Random(seed).shuffle(values)))
    assertEquals(shapes.distinct.size, 1)
  }

  test("the same schema in any order also above MAX_INTERMEDIATE_FIELDS, unlike in the specification") {
    val values = Seq.tabulate(1500)(i => Obj(s"f$i" -> Bool(true), "often" -> Text("x")))
    val shapes =
      (0 until 3).map(seed => ddl(new Random(seed).shuffle(values), majority.copy(minFieldFrequency = 0)))
    assertEquals(shapes.distinct.size, 1)
    assert(shapes.head.contains("often STRING"))
  }

  // ---- "Object fields use a TreeMap, so field ordering is alphabetical and deterministic" ----

  test("object fields are in alphabetical order") {
    assertEquals(
      ddl(Seq(Obj("b" -> Bool(true), "a" -> Bool(true), "é" -> Bool(true), "B" -> Bool(true)))),
      "STRUCT<B BOOLEAN, a BOOLEAN, b BOOLEAN, `é` BOOLEAN>"
    )
  }

  // ---- "Type selection picks the most common type with explicit tie-break priority" ----

  test("the most common type is picked") {
    assertEquals(
      ddl(rows(10, Text("x") -> 3, Bool(true) -> 4, Fixed(20, Seq.fill(16)(1)) -> 2)),
      "STRUCT<a BOOLEAN, z STRING>"
    )
  }

  for {
    ((low, lowType), i) <- scalars.zipWithIndex
    (high, highType) <- scalars.drop(i + 1)
    if family(lowType) != family(highType)
  } test(s"a tie between $lowType and $highType goes to $highType") {
    assertEquals(ddl(Seq(low, high)), highType)
    assertEquals(ddl(Seq(high, low, low, high)), highType)
    // With one more value there is no tie.
    assertEquals(ddl(Seq(low, high, low)), lowType)
  }

  /** Arrays and objects have our own ranks, 19 and 20, above all scalars. */
  private val nests = Seq[(Value, String)](
    Arr(Seq(Text("x"))) -> "ARRAY<STRING>",
    Obj("x" -> Bool(true)) -> "STRUCT<x BOOLEAN>"
  )

  for {
    (scalar, scalarType) <- scalars
    (nest, nestType) <- nests
  } test(s"a tie between $scalarType and $nestType goes to $nestType") {
    assertEquals(ddl(Seq(scalar, nest)), nestType)
    assertEquals(ddl(Seq(nest, scalar, scalar, nest)), nestType)
    assertEquals(ddl(Seq(scalar, nest, scalar)), scalarType)
    // The same below a field and in an array.
    assertEquals(ddl(Seq(Obj("a" -> scalar), Obj("a" -> nest))), s"STRUCT<a $nestType>")
    assertEquals(ddl(Seq(Arr(Seq(scalar, nest)))), s"ARRAY<$nestType>")
  }

  test("a tie between an object and an array goes to the object") {
    assertEquals(ddl(Seq(Obj("x" -> Bool(true)), Arr(Seq(Text("x"))))), "STRUCT<x BOOLEAN>")
    assertEquals(ddl(Seq(Obj("x" -> Bool(true)), Arr(Seq(Text("x"))), Arr(Nil))), "ARRAY<STRING>")
  }

  test("if three or more types tie, the highest wins, in any order") {
    val all = scalars ++ nests
    for {
      kinds <- all.indices.combinations(3)
      types = kinds.map(all(_)._2)
      if types.map(family).distinct.size == 3
    } for (order <- kinds.permutations)
      assertEquals(ddl(order.map(all(_)._1)), types.last, types.toString)
    // All families at once, with one type of each.
    val each = all.groupBy(t => family(t._2)).values.map(_.head._1).toSeq
    val seldom = majority.copy(minFieldFrequency = 0)
    assertEquals(ddl(each, seldom), "STRUCT<x BOOLEAN>")
    assertEquals(ddl(each.filterNot(_ == nests(1)._1), seldom), "ARRAY<STRING>")
  }

  test("a family has the rank of its widest type") {
    val (byte, long, dec, float) =
      (Integer(1, 1), Integer(1, 8), Dec(BigInteger.ONE, 1, 4), Fixed(14, Seq.fill(4)(1)))
    assertEquals(ddl(Seq(byte, long, float, float)), "FLOAT")
    assertEquals(ddl(Seq(byte, long, dec, dec)), "DECIMAL(1,1)")
    assertEquals(ddl(Seq(byte, long, Bool(true), Bool(false))), "BIGINT")
    assertEquals(ddl(Seq(byte, long, dec, dec, float, float)), "DECIMAL(1,1)")
  }

  test("both booleans are one type") {
    assertEquals(ddl(Seq(Bool(true), Bool(false), Text("x"), Text("x"), Bool(true))), "BOOLEAN")
  }

  // ---- "Integer types and decimal types are each promoted to the widest observed before competing" ----

  for {
    widths <- (1 to 4).flatMap(Seq(1, 2, 4, 8).combinations(_))
    widest = Map(1 -> "TINYINT", 2 -> "SMALLINT", 4 -> "INT", 8 -> "BIGINT")(widths.max)
  } test(s"integers of ${widths.mkString(", ")} bytes are promoted to $widest") {
    assertEquals(ddl(widths.map(Integer(1, _))), widest)
    // Each width is rarer than the strings; all widths together are not.
    val strings = if (widths.size > 1) widths.size - 1 else 0
    assertEquals(ddl(widths.map(Integer(1, _)) ++ Seq.fill(strings)(Text("x"))), widest)
  }

  for (widths <- (1 to 3).flatMap(Seq(4, 8, 16).combinations(_)))
    test(s"decimals of ${widths.mkString(", ")} bytes are promoted to one with the digits of all") {
      val values = widths.map(w => Dec(BigInteger.valueOf(w * 10L), w / 4, w))
      val (digitsBefore, scale) = (Map(4 -> 1, 8 -> 0, 16 -> 0), widths.max / 4)
      val integerDigits = widths.map(digitsBefore).max
      assertEquals(
        ddl(values ++ Seq.fill(widths.size - 1)(Text("x"))),
        s"DECIMAL(${integerDigits + scale},$scale)"
      )
    }

  test("integers and decimals compete with each other") {
    val (i, d) = (Integer(5, 1), Dec(BigInteger.valueOf(15), 1, 4))
    assertEquals(ddl(Seq(i, i, d)), "TINYINT")
    assertEquals(ddl(Seq(i, d, d)), "DECIMAL(2,1)")
    assertEquals(ddl(Seq(i, d)), "DECIMAL(2,1)")
    assertEquals(ddl(Seq(i, i, d, d, Text("x"), Text("x"), Text("x"))), "STRING")
  }

  for (
    ((before, scale), expected) <- Seq(
      (1, 0) -> "DECIMAL(1,0)",
      (9, 0) -> "DECIMAL(9,0)",
      (9, 1) -> "DECIMAL(10,1)",
      (18, 20) -> "DECIMAL(38,20)",
      (20, 18) -> "DECIMAL(38,18)",
      (20, 19) -> "DECIMAL(38,18)",
      (38, 0) -> "DECIMAL(38,0)",
      (38, 38) -> "DECIMAL(38,0)",
      (1, 38) -> "DECIMAL(38,37)"
    )
  ) test(s"decimals of $before digits before the point and $scale after the point are $expected") {
    val whole = Dec(BigInteger.TEN.pow(before - 1), 0, 16)
    val fraction = Dec(BigInteger.ONE, scale, 16)
    assertEquals(ddl(Seq(whole, fraction)), expected)
  }

  test("a fraction below 1 has no digits before the point, and stored trailing zeros count") {
    assertEquals(ddl(Seq(Dec(BigInteger.ONE, 3, 4))), "DECIMAL(3,3)")
    assertEquals(ddl(Seq(Dec(BigInteger.valueOf(1500), 3, 4))), "DECIMAL(4,3)")
    assertEquals(ddl(Seq(Dec(BigInteger.ZERO, 2, 4))), "DECIMAL(2,2)")
  }

  // ---- "Fields below MIN_FIELD_FREQUENCY are pruned" ----

  for ((percent, stays) <- Seq(9 -> false, 10 -> true, 11 -> true))
    test(s"a field in $percent % of the rows ${if (stays) "stays" else "is pruned"}") {
      assertEquals(
        ddl(rows(100, Text("x") -> percent)),
        if (stays) "STRUCT<a STRING, z STRING>" else "STRUCT<z STRING>"
      )
    }

  for (total <- Seq(10, 30, 70, 1000, 99990))
    test(s"exactly a tenth of $total rows stays, and one row less is pruned") {
      def counted(n: Int) = {
        val counts = of(Seq(Some(Obj("z" -> Text("x")))).take(0))
        val (with_, without) =
          (Value.encode(Obj("a" -> Bool(true), "z" -> Text("x"))), Value.encode(Obj("z" -> Text("x"))))
        for (i <- 0 until total) { val (m, v) = if (i < n) with_ else without; counts.add(m, v) }
        Inference.shape(counts, majority).ddl
      }
      assertEquals(counted(total / 10), "STRUCT<a BOOLEAN, z STRING>")
      assertEquals(counted(total / 10 - 1), "STRUCT<z STRING>")
    }

  test("the frequency of a field counts all its values of any type") {
    assertEquals(
      ddl(rows(100, Text("x") -> 5, Bool(true) -> 4, Integer(1, 1) -> 3)),
      "STRUCT<a STRING, z STRING>"
    )
  }

  test("variant nulls do not count as values, neither of a field nor of the root") {
    assertEquals(ddl(rows(100, Null -> 50, Text("x") -> 9)), "STRUCT<z STRING>")
    assertEquals(ddl(rows(90, Text("x") -> 9) ++ Seq.fill(10)(Null)), "STRUCT<a STRING, z STRING>")
  }

  test("frequencies of nested fields are relative to the rows too") {
    val deep =
      Seq.fill(9)(Obj("o" -> Obj("x" -> Bool(true)))) ++ Seq.fill(11)(Obj("o" -> Obj("y" -> Bool(true)))) ++
        Seq.fill(80)(Obj("z" -> Text("x")))
    assertEquals(ddl(deep), "STRUCT<o STRUCT<y BOOLEAN>, z STRING>")
  }

  test("elements of arrays count one by one") {
    val one = Obj("x" -> Bool(true))
    val values = Seq(Obj("l" -> Arr(Seq.fill(10)(one)))) ++ Seq.fill(9)(Obj("l" -> Arr(Nil))) ++ Seq.fill(90)(
      Obj("z" -> Text("x"))
    )
    assertEquals(ddl(values), "STRUCT<l ARRAY<STRUCT<x BOOLEAN>>, z STRING>")
    // Now the array itself is in only 9 rows.
    assertEquals(ddl(values.patch(1, Nil, 1) ++ Seq.fill(1)(Obj("z" -> Text("x")))), "STRUCT<z STRING>")
  }

  test("elements of arrays are not fields: MIN_FIELD_FREQUENCY does not apply to them") {
    // The array is in all rows, its one element in one of a hundred.
    val values = Obj("l" -> Arr(Seq(Text("x")))) +: Seq.fill(99)(Obj("l" -> Arr(Nil)))
    assertEquals(ddl(values), "STRUCT<l ARRAY<STRING>>")
    assertEquals(ddl(Arr(Seq(Bool(true))) +: Seq.fill(99)(Arr(Nil))), "ARRAY<BOOLEAN>")
    // MIN_FIELD_FREQUENCY applies to the fields of elements.
    assertEquals(
      ddl(Obj("l" -> Arr(Seq(Obj("x" -> Bool(true))))) +: Seq.fill(99)(Obj("l" -> Arr(Nil)))),
      "VARIANT"
    )
  }

  // ---- "the shredded schema type, or null if no shredding should be performed" ----

  for (
    (title, values) <- Seq[(String, Seq[Value])](
      "no rows" -> Nil,
      "nulls" -> Seq(Null, Null),
      "empty objects" -> Seq(Obj(), Obj()),
      "empty arrays" -> Seq(Arr(Nil)),
      "arrays of nulls" -> Seq(Arr(Seq(Null, Null))),
      "arrays of empty objects" -> Seq(Arr(Seq(Obj()))),
      "objects of nulls" -> Seq(Obj("a" -> Null)),
      "objects of empty objects" -> Seq(Obj("a" -> Obj(), "b" -> Arr(Nil))),
      "objects of rare fields" -> Seq.tabulate(11)(i => Obj(s"f$i" -> Bool(true)))
    )
  ) test(s"no shredding for $title")(assertEquals(ddl(values), "VARIANT"))

  test("a path with mostly empty objects or arrays is not shredded, whatever its other values") {
    assertEquals(ddl(rows(10, Obj() -> 5, Text("x") -> 4)), "STRUCT<z STRING>")
    assertEquals(ddl(rows(10, Arr(Nil) -> 5, Obj("x" -> Bool(true)) -> 4)), "STRUCT<z STRING>")
  }

  // ---- "the determinism contract holds within a single batch": merged batches count as one batch ----

  test("batches of different distributions that are merged give the layout of all their rows") {
    val (first, second) = (rows(60, Text("x") -> 50), rows(60, Bool(true) -> 55))
    val merged = of(first.map(Some(_)))
    merged.merge(of(second.map(Some(_))))
    assertEquals(Inference.shape(merged, majority).ddl, ddl(first ++ second))
    assertEquals(Inference.shape(merged, majority).ddl, "STRUCT<a BOOLEAN, z STRING>")
  }

  test("a scalar of every type at the root is shredded as that type") {
    for ((value, expected) <- scalars) {
      assertEquals(ddl(Seq(value)), expected)
      assertEquals(ShapeParser.parse(expected).ddl, expected)
    }
  }
}

object SpecInferenceSuite {
  private def fixed(id: Int, width: Int): Value = Fixed(id, Seq.fill(width)(1.toByte))
  private def dec(width: Int, digits: Int): Value = Dec(BigInteger.TEN.pow(digits - 1), 1, width)

  /** A value of each type in the order of TIE_BREAK_PRIORITY, with the shape of this value alone. */
  val scalars: Seq[(Value, String)] = Seq(
    Bool(true) -> "BOOLEAN",
    Integer(1, 1) -> "TINYINT",
    Integer(1, 2) -> "SMALLINT",
    Integer(1, 4) -> "INT",
    Integer(1, 8) -> "BIGINT",
    fixed(14, 4) -> "FLOAT",
    fixed(7, 8) -> "DOUBLE",
    dec(4, 5) -> "DECIMAL(5,1)",
    dec(8, 12) -> "DECIMAL(12,1)",
    dec(16, 25) -> "DECIMAL(25,1)",
    fixed(11, 4) -> "DATE",
    fixed(17, 8) -> "TIME",
    fixed(12, 8) -> "TIMESTAMP",
    fixed(13, 8) -> "TIMESTAMP_NTZ",
    Bytes(Seq(1)) -> "BINARY",
    Text("x") -> "STRING",
    fixed(18, 8) -> "TIMESTAMP_NANOS",
    fixed(19, 8) -> "TIMESTAMP_NTZ_NANOS",
    fixed(20, 16) -> "UUID"
  )

  /** Types of one family never compete. */
  def family(ddl: String): String = ddl match {
    case "TINYINT" | "SMALLINT" | "INT" | "BIGINT" => "integers"
    case other if other.startsWith("DECIMAL") => "decimals"
    case other => other
  }
}
