/** The shapes that the policy `equivalence` infers from counts. */
package shreddedvariant.infer

import java.math.BigInteger

import org.scalacheck.Gen
import org.scalacheck.Prop.forAllNoShrink
import shreddedvariant.{Errors, Value}
import shreddedvariant.Value._
import shreddedvariant.layout.{Shape, ShapeParser}

class InferenceSuite extends shreddedvariant.LawSuite with InferenceCases {
  import CountsSuite.{of, Obj}

  private def dec(unscaled: Long, scale: Int, width: Int = 4) =
    Dec(BigInteger.valueOf(unscaled), scale, width)

  // ---- exact numerics are one class ----

  infers("integers of any width are BIGINT", "BIGINT")(Seq(1, 2, 4, 8).map(Integer(1, _)))
  infers("small integers are BIGINT too", "BIGINT")(Seq(Integer(1, 1)))
  infers("integers and decimals are one decimal that holds all of them", "DECIMAL(5,2)")(
    Seq(Integer(-123, 2), dec(150, 2), dec(5, 1))
  )
  infers("the largest integer, not its width, determines the digits of a decimal", "DECIMAL(3,1)")(
    Seq(Integer(99, 8), dec(5, 1))
  )
  infers("Long.MinValue has 19 digits", "DECIMAL(20,1)")(Seq(Integer(Long.MinValue, 8), dec(5, 1)))
  infers("a decimal holds at most 38 digits, those before the point first", "DECIMAL(38,19)")(
    Seq(Integer(Long.MinValue, 8), Dec(BigInteger.ONE, 30, 16))
  )
  infers("decimals without fractions stay decimals", "DECIMAL(20,0)")(Seq(Dec(BigInteger.TEN.pow(19), 0, 16)))
  infers("integers and decimals together outnumber a kind that is more frequent than each", "DECIMAL(2,1)")(
    Seq(Integer(1, 1), Integer(1, 1), dec(15, 1), dec(15, 1), x, x, x)
  )
  infers("doubles are not exact numerics: the majority wins, other values are residual", "DOUBLE")(
    Seq.fill(3)(Fixed(7, Seq.fill(8)(1))),
    Seq(Integer(1, 1), dec(15, 1))
  )
  infers("floats and doubles are different classes", "FLOAT")(Seq(
    Fixed(14, Seq.fill(4)(1)),
    Fixed(14, Seq.fill(4)(1)),
    Fixed(7, Seq.fill(8)(1))
  ))

  // ---- the majority class, if it is frequent enough ----

  infers("strings that look like numbers are strings", "STRING")(Seq(Text("1"), Text("2"), Integer(1, 1)))
  infers(
    "JSONBench: subject, an object in half of the rows and a string in a third, is shredded for its objects",
    "STRUCT<did STRING, subject STRUCT<cid STRING, uri STRING>>"
  )(
    some(50)("did" -> x, "subject" -> Obj("cid" -> x, "uri" -> x)),
    some(36)("did" -> x, "subject" -> x),
    some(14)("did" -> x)
  )
  for ((percent, stays) <- Seq(9 -> false, 10 -> true, 11 -> true))
    infers(
      s"JSONBench: record.text in $percent % of the rows follows the threshold",
      if (stays) "STRUCT<record STRUCT<text STRING, type STRING>>" else "STRUCT<record STRUCT<type STRING>>"
    )(
      some(percent)("record" -> Obj("text" -> x, "type" -> x)),
      some(100 - percent)("record" -> Obj("type" -> x))
    )
  infers(
    "JSONBench: record.text at 9 % is shredded by a lower threshold",
    "STRUCT<record STRUCT<text STRING, type STRING>>",
    Limits(minFieldFrequency = 0.09)
  )(
    some(9)("record" -> Obj("text" -> x, "type" -> x)),
    some(91)("record" -> Obj("type" -> x))
  )
  infers("a path without a class of the minimum frequency stays untyped", "STRUCT<z STRING>")(
    some(9)("a" -> x, "z" -> x),
    some(9)("a" -> Bool(true), "z" -> x),
    some(82)("z" -> x)
  )
  infers("a tie between an object and a scalar goes to the object", "STRUCT<a STRUCT<b STRING>>")(
    some(5)("a" -> x),
    some(5)("a" -> Obj("b" -> x))
  )
  // Classes by ascending rank; exact numerics have the rank of their widest type.
  private val classes = Seq[(Value, String)](
    Bool(true) -> "BOOLEAN",
    Integer(1, 8) -> "BIGINT",
    Fixed(14, Seq.fill(4)(1)) -> "FLOAT",
    Fixed(7, Seq.fill(8)(1)) -> "DOUBLE",
    dec(15, 1) -> "DECIMAL(2,1)",
    Fixed(11, Seq.fill(4)(1)) -> "DATE",
    Fixed(17, Seq.fill(8)(1)) -> "TIME",
    Fixed(12, Seq.fill(8)(1)) -> "TIMESTAMP",
    Fixed(13, Seq.fill(8)(1)) -> "TIMESTAMP_NTZ",
    Bytes(Seq(1)) -> "BINARY",
    x -> "STRING",
    Fixed(18, Seq.fill(8)(1)) -> "TIMESTAMP_NANOS",
    Fixed(19, Seq.fill(8)(1)) -> "TIMESTAMP_NTZ_NANOS",
    Fixed(20, Seq.fill(16)(1)) -> "UUID",
    Arr(Seq(x)) -> "ARRAY<STRING>",
    Obj("x" -> x) -> "STRUCT<x STRING>"
  )

  private def isExact(ddl: String) = ddl == "BIGINT" || ddl.startsWith("DECIMAL")

  test("ties between any two and any three classes go to the highest, in any order") {
    for (size <- Seq(2, 3); chosen <- classes.combinations(size); if chosen.count(c => isExact(c._2)) < 2)
      for (order <- chosen.permutations)
        assertEquals(ddl(order.map(_._1), Limits()), chosen.last._2, chosen.map(_._2).toString)
  }

  test("exact numerics tie as one class, at the rank of the widest type seen") {
    val (double, date) = (classes(3)._1, classes(5)._1)
    assertEquals(ddl(Seq(Integer(1, 1), dec(15, 1), double, double), Limits()), "DECIMAL(2,1)")
    assertEquals(ddl(Seq(Integer(1, 1), Integer(1, 8), double, double), Limits()), "DOUBLE")
    assertEquals(ddl(Seq(Integer(1, 1), dec(15, 1), date, date), Limits()), "DATE")
  }

  // ---- the limits of the specification apply to this policy too ----

  for (
    (depth, stays) <- Seq(49 -> true, 50 -> true, 51 -> false);
    (kind, wrap) <- Seq[(String, Int => Value => Value)](
      "objects" -> (_ => v => Obj("a" -> v)),
      "arrays" -> (_ => v => Arr(Seq(v))),
      "objects and arrays in turn" -> (i => v => if (i % 2 == 0) Obj("a" -> v) else Arr(Seq(v)))
    )
  ) test(s"a value $depth $kind deep is ${if (stays) "shredded" else "not"}") {
    val value = (0 until depth).foldLeft[Value](x)((v, i) => wrap(i)(v))
    assertEquals(ddl(Seq(value), Limits()) != "VARIANT", stays)
    assertEquals(ddl(Seq(value), Limits()).contains("STRING"), stays)
  }

  for (n <- Seq(1000, 1001))
    test(s"of $n fields, the first 1000 by name are intermediate fields") {
      val shape = Inference.shape(of(Seq(Some(object_(wide(n))))), Limits(maxFields = 5000))
      assertEquals(leaves(shape), wide(1000).map(_ + "."))
    }

  infers(
    "if a class gives no column, the next class is used: [] beside objects",
    "STRUCT<a STRUCT<b STRING>>"
  )(
    some(6)("a" -> Arr(Nil)),
    some(4)("a" -> Obj("b" -> x))
  )
  infers("if a class gives no column, the next class is used: {} beside strings", "STRUCT<a STRING>")(
    some(6)("a" -> Obj()),
    some(4)("a" -> x)
  )
  infers("elements of an array must reach the minimum frequency too", "STRUCT<z STRING>")(
    some(9)("a" -> Arr(Seq(x)), "z" -> x),
    some(10)("a" -> Arr(Nil), "z" -> x),
    some(81)("z" -> x)
  )
  infers("arrays of arrays", "ARRAY<ARRAY<BIGINT>>")(Seq(Arr(Seq(
    Arr(Seq(Integer(1, 1))),
    Arr(Nil)
  ))))
  infers("elements of several kinds are shredded as the majority", "ARRAY<STRING>")(Seq(Arr(Seq(
    x,
    x,
    Integer(1, 1),
    Null,
    Null,
    Null
  ))))
  infers("no path is worth shredding", "VARIANT")(Seq(Null), some(3)(), Seq(Arr(Nil)))

  test("without rows the shape is VARIANT, which the option accepts") {
    assertEquals(Inference.shape(new Counts, Limits()), Shape.Untyped)
    assertEquals(ShapeParser.parse(Inference.shape(new Counts, Limits()).ddl), Shape.Untyped)
  }

  test("a minimum frequency of 0 keeps every path with values, and 1 keeps paths that all rows have") {
    val rows = some(999)("a" -> x) ++ some(1)("a" -> x, "b" -> x)
    assertEquals(ddl(rows, Limits(minFieldFrequency = 0)), "STRUCT<a STRING, b STRING>")
    assertEquals(ddl(rows, Limits(minFieldFrequency = 1)), "STRUCT<a STRING>")
  }

  test("names that are not UTF-8 get no column") {
    val counts = new Counts
    counts.add(Array[Byte](1, 2, 0, 1, 2, 97, -1), Array[Byte](2, 2, 0, 1, 0, 1, 2, 4, 4))
    assertEquals(counts.tree.fieldCount, 2)
    assertEquals(Inference.shape(counts, Limits()).ddl, "STRUCT<a BOOLEAN>")
  }

  // ---- caps ----

  /** The leaves in a file: metadata, a value for each cell, a typed_value for each scalar. */
  private def parquetLeaves(shape: Shape): Int = {
    def cells(shape: Shape): Int = shape match {
      case Shape.Untyped => 1
      case Shape.Scalar(_) => 2
      case Shape.Array(element) => 1 + cells(element)
      case Shape.Object(fields) => 1 + fields.map(f => cells(f._2)).sum
    }
    1 + cells(shape)
  }

  for (n <- Seq(299, 300, 301))
    test(s"of $n fields of an object, ${math.min(n, 300)} are kept") {
      val shape = Inference.shape(of(Seq(Some(object_(wide(n))))), Limits())
      assertEquals(leaves(shape), wide(math.min(n, 300)).map(_ + "."))
    }

  test("the fields of an object are capped by the numbers of values that their columns type") {
    // `a` has more values, but no class of them has as many as `b`.
    val rows = some(4)("a" -> x) ++ some(4)("a" -> Bool(true)) ++ some(5)("b" -> x)
    assertEquals(ddl(rows, Limits(maxFields = 1)), "STRUCT<b STRING>")
  }

  test("a column has at most 1000 leaves, for the most frequent paths") {
    val names = Seq("a", "b", "c", "d")
    val all = Obj(names.map(_ -> object_(wide(300))): _*)
    val rare = Obj("d" -> object_(wide(300)))
    val inferred = Inference.infer(Seq(of(Seq(all, rare).map(Some(_))) -> Limits())).head
    assert(inferred.leavesCut)
    assert(
      parquetLeaves(inferred.shape) <= 1000 && parquetLeaves(inferred.shape) > 997,
      parquetLeaves(inferred.shape).toString
    )
    val kept = leaves(inferred.shape)
    // The 300 fields of `d` are twice as frequent; the others are kept by name.
    assertEquals(kept.count(_.startsWith("d")), 300)
    assertEquals(kept.filterNot(_.startsWith("d")), wide(300).take(kept.size - 300).map(n => s"a$n.."))
  }

  test("if maxFields is raised, one object may use as many leaves as it needs") {
    val limits = Limits(maxFields = 900)
    val inferred = Inference.infer(Seq(of(Seq(Some(object_(wide(901))))) -> limits)).head
    assertEquals(leaves(inferred.shape).size, 900)
    assert(!inferred.leavesCut)
  }

  test(
    "a file has at most 2000 leaves for all columns: the most frequent paths, not the first columns"
  ) {
    val wideRow = Obj(Seq("a", "b", "c").map(_ -> object_(wide(160))): _*)
    val often = of(Seq.fill(3)(Some(wideRow)))
    val seldom = of(Seq(Some(wideRow)))
    val shapes = Inference.infer(Seq(seldom -> Limits(), often -> Limits(), often -> Limits()))
    assertEquals(shapes.map(_.leavesCut), Seq(true, false, false))
    val total = shapes.map(s => parquetLeaves(s.shape)).sum
    assert(total <= 2000 && total > 1997, s"$total")
    assertEquals(Inference.shape(seldom, Limits()), shapes(1).shape)
  }

  test("the caps on leaves do not apply to the policy majority") {
    val all = Obj(Seq("a", "b", "c", "d").map(_ -> object_(wide(300))): _*)
    val majority = Limits(policy = Policy.Majority)
    val shapes = Inference.infer(Seq.fill(3)(of(Seq(Some(all))) -> majority))
    assertEquals(shapes.map(s => leaves(s.shape).size), Seq(1200, 1200, 1200))
  }

  test("isCut is true for a column with more paths than are tracked") {
    val counts = Counts.limitedTo(10)
    CountsSuite.add(counts, Some(object_(wide(20))))
    assert(Inference.infer(Seq(counts -> Limits())).head.isCut)
    assert(!Inference.infer(Seq(of(Seq(Some(object_(wide(20))))) -> Limits())).head.isCut)
    assert(Errors.pathsLeftOut("v").startsWith("[SHREDDED_VARIANT_PATHS_LEFT_OUT] 'v' has more paths"))
  }

  // ---- laws ----

  property("the DDL of an inferred shape is parsed to the same shape, and only paths with values are typed") {
    val rows = Gen.choose(1, 10).flatMap(Gen.listOfN(_, Value.values(3)))
    forAllNoShrink(rows, Gen.oneOf(Policy.all), Gen.oneOf(0.0, 0.1, 0.5)) { (rows, policy, frequency) =>
      val shape =
        Inference.shape(of(rows.map(Some(_))), Limits(policy = policy, minFieldFrequency = frequency))
      ShapeParser.parse(shape.ddl) == shape && isSeen(shape, rows)
    }
  }

  private def isSeen(shape: Shape, values: Seq[Value]): Boolean = shape match {
    case Shape.Untyped => true
    case Shape.Object(fields) =>
      val objects = values.collect { case Value.Obj(fields) => fields }
      fields.forall { case (name, field) => isSeen(field, objects.flatMap(_.get(name))) } && fields.nonEmpty
    case Shape.Array(element) => isSeen(element, values.collect { case Arr(elements) => elements }.flatten)
    case Shape.Scalar(_) => values.exists { case Null | Arr(_) | Value.Obj(_) => false; case _ => true }
  }
}
