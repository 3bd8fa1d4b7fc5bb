/** The options of a write give each variant column its shape, or the limits of its inference. */
package shreddedvariant.source.options

import org.apache.spark.sql.types._
import shreddedvariant.{Options, ShreddedVariantException}
import shreddedvariant.infer.{Limits, Policy}
import shreddedvariant.layout.PathStep.Key
import shreddedvariant.layout.Shape
import shreddedvariant.parquet.write.WriteJob

class VariantColumnsSuite extends shreddedvariant.Suite {
  private val inner = new StructType().add("v", VariantType).add("a.b", VariantType).add("n", LongType)
  private val schema = new StructType().add("v", VariantType).add("w", VariantType).add("s", inner)
    .add("l", ArrayType(VariantType)).add("id", LongType)
  private val (v, w, inStruct, dotted) = (Seq("v"), Seq("w"), Seq("s", "v"), Seq("s", "a.b"))

  private def job(own: (String, String)*): WriteJob = job(own.toMap, Map.empty[String, String])
  private def job(own: Map[String, String], session: Map[String, String]): WriteJob =
    new VariantColumns(schema, caseSensitive = false).writeJob(GivenOptions(own, session))

  test("every variant outside of arrays and maps is inferred, with the same limits") {
    assertEquals(job().limits, Seq(v, w, inStruct, dotted).map(_ -> Limits()).toMap)
    assertEquals(job().shapes, Map.empty[Seq[String], Shape])
    assertEquals(job("shredding" -> "INFER"), job())
  }

  test("with shredding off, only columns with the shape infer are inferred") {
    assertEquals(job("shredding" -> "off").limits, Map.empty[Seq[String], Limits])
    assertEquals(job("shredding" -> "off", "shredding.shape.w" -> "infer").limits.keySet, Set(w))
  }

  test("a column with a shape, or with the shape off, is not inferred") {
    val some =
      job("shredding.shape.v" -> "INT", "shredding.shape.w" -> "off", "shredding.shape.s.v" -> "VARIANT")
    assertEquals(some.limits.keySet, Set(dotted))
    assertEquals(some.shapes.keySet, Set(v))
  }

  test("limits apply to all columns, paths to the named column") {
    val options = Seq(
      Options.Policy -> "Majority",
      "shredding.minfieldfrequency" -> "0.5",
      Options.MaxFields -> "7",
      Options.MaxDepth -> "3",
      Options.MaxIntermediateFields -> "9",
      "shredding.include.V" -> "$.a, $.b.c",
      "shredding.exclude.s.`a.b`" -> "$.d"
    )
    val limits = Limits(Policy.Majority, 0.5, 7, 3, 9)
    val own = Map(
      v -> limits.copy(include = Seq(Seq(Key("a")), Seq(Key("b"), Key("c")))),
      dotted -> limits.copy(exclude = Seq(Seq(Key("d"))))
    )
    assertEquals(job(options: _*).limits, Seq(w, inStruct).map(_ -> limits).toMap ++ own)
  }

  test("session defaults may name columns of other tables, and own options replace them") {
    val session = Map(
      "shredding.include.elsewhere" -> "$.a",
      "shredding.include.v" -> "$.a",
      Options.MaxFields -> "5"
    )
    assertEquals(job(Map.empty[String, String], session).limits(v).include, Seq(Seq(Key("a"))))
    assertEquals(job(Map.empty[String, String], session).limits(w).maxFields, 5)
    val own = job(Map("shredding.include.v" -> "$.b", Options.MaxFields -> "6"), session)
    assertEquals(own.limits(v), Limits(maxFields = 6, include = Seq(Seq(Key("b")))))
  }

  for (
    (key, condition) <- Seq(
      "shredding.include.x" -> "NO_SUCH_COLUMN",
      "shredding.exclude.id" -> "NOT_A_VARIANT",
      "shredding.include.l.element" -> "VARIANT_IN_COLLECTION",
      "shredding.exclude.v v" -> "OPTION_COLUMN"
    )
  ) test(s"$key is refused like a shape of that column") {
    val e = intercept[ShreddedVariantException](job(key -> "$.a"))
    assertEquals(e.condition, s"SHREDDED_VARIANT_$condition")
    assert(e.getMessage.contains(s"'$key'"), e.getMessage)
  }
}
