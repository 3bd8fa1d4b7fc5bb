/** The limits of the specification of the shredding analyser, sentence by sentence, as policy `majority`. */
package shreddedvariant.infer

import scala.util.Random

import shreddedvariant.Value
import shreddedvariant.Value._
import shreddedvariant.layout.Shape

class SpecLimitsSuite extends InferenceCases {
  import CountsSuite.{of, Obj}

  private val majority = Limits(policy = Policy.Majority)
  private def ddl(rows: Seq[Value]): String = ddl(rows, majority)

  private def fieldsOf(shape: Shape) = shape match {
    case Shape.Object(fields) => fields.map(_._1)
    case other => fail(s"not an object: ${other.ddl}")
  }

  // ---- "Above MAX_SHREDDED_FIELDS, the most frequent are kept with alphabetical tie-breaking" ----

  for (n <- Seq(299, 300, 301))
    test(s"of $n fields, the first ${math.min(n, 300)} by name are kept") {
      val shape = Inference.shape(of(Seq(Some(Obj(wide(n).map(_ -> Bool(true)): _*)))), majority)
      assertEquals(fieldsOf(shape), wide(math.min(n, 300)))
    }

  test("the most frequent fields are kept, regardless of their names") {
    val all = Obj(wide(301).map(_ -> Bool(true)): _*)
    val last = Obj("f0300" -> Bool(true), "f0299" -> Bool(true))
    val shape = Inference.shape(of(Seq(all, last).map(Some(_))), majority)
    assertEquals(fieldsOf(shape), wide(299).filterNot(_ == "f0298") ++ Seq("f0299", "f0300"))
  }

  test("each object has 300 fields of its own") {
    val inner = Obj(wide(301).map(_ -> Bool(true)): _*)
    val shape =
      Inference.shape(of(Seq(Some(Obj("a" -> inner, "b" -> inner, "c" -> inner, "d" -> inner)))), majority)
    shape match {
      case Shape.Object(fields) =>
        assertEquals(fields.map { case (_, s) => fieldsOf(s).size }, IndexedSeq.fill(4)(300))
      case other => fail(other.ddl)
    }
  }

  // ---- "Recursion into nested objects/arrays stops at MAX_SHREDDING_DEPTH (default 50)" ----

  private def nested(depth: Int, wrap: Value => Value) =
    Iterator.iterate[Value](Text("x"))(wrap).drop(depth).next()

  for (
    (depth, stays) <- Seq(49 -> true, 50 -> true, 51 -> false);
    (kind, wrap) <- Seq[(String, Value => Value)](
      "objects" -> (v => Obj("a" -> v)),
      "arrays" -> (v => Arr(Seq(v)))
    )
  )
    test(s"a value $depth $kind deep is ${if (stays) "shredded" else "not"}") {
      val shape = ddl(Seq(nested(depth, wrap)))
      assertEquals(shape.contains("STRING"), stays)
      assertEquals(shape == "VARIANT", !stays)
    }

  for ((depth, stays) <- Seq(49 -> true, 50 -> true, 51 -> false); isArrayFirst <- Seq(true, false))
    test(
      s"objects and arrays in turn are ${if (stays) "shredded" else "not"} at $depth, ${if (isArrayFirst) "arrays"
        else "objects"} outside"
    ) {
      val value = (0 until depth).foldLeft[Value](Text("x")) { (inner, i) =>
        if (((depth - i) % 2 == 1) == isArrayFirst) Arr(Seq(inner)) else Obj("a" -> inner)
      }
      assertEquals(ddl(Seq(value)).contains("STRING"), stays)
      assertEquals(ddl(Seq(value)) == "VARIANT", !stays)
    }

  test("other paths are kept if recursion stops at one path") {
    assertEquals(ddl(Seq(Obj("a" -> nested(50, v => Obj("a" -> v)), "b" -> Text("x")))), "STRUCT<b STRING>")
    assertEquals(
      ddl(Seq(Obj("a" -> Obj("b" -> Text("x")), "c" -> Text("x"))), majority.copy(maxDepth = 1)),
      "STRUCT<c STRING>"
    )
  }

  // ---- "New struct fields are not tracked once a node reaches MAX_INTERMEDIATE_FIELDS (default 1000)" ----

  for (n <- Seq(1000, 1001))
    test(s"of $n fields, the first 1000 by name are intermediate fields") {
      val limits = majority.copy(maxFields = 5000)
      val shape = Inference.shape(of(Seq(Some(Obj(wide(n).map(_ -> Bool(true)): _*)))), limits)
      assertEquals(fieldsOf(shape), wide(1000))
    }

  test("the most frequent fields are intermediate fields, not the first ones") {
    val rows =
      wide(1001).map(name => Obj(name -> Bool(true))) :+ Obj("f1000" -> Bool(true), "f0999" -> Bool(true))
    for (seed <- 0 until 3) {
      val limits = majority.copy(maxFields = 5000, minFieldFrequency = 0)
      val shape = Inference.shape(of(new Random(seed).shuffle(rows).map(Some(_))), limits)
      assertEquals(fieldsOf(shape), wide(1001).filterNot(_ == "f0998"))
    }
  }
}
