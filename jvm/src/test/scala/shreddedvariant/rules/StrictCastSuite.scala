/** A strict cast that is made of two columns has the value, or raises the error, of Spark's own strict cast. */
package shreddedvariant.rules

import java.time.ZoneId

import scala.util.Try

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types._
import org.apache.spark.types.variant.Variant
import org.apache.spark.unsafe.types.VariantVal
import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAllNoShrink
import shreddedvariant.Value

class StrictCastSuite extends shreddedvariant.LawSuite with StubPlans {
  private val targets =
    Gen.oneOf(
      IntegerType,
      LongType,
      DoubleType,
      BooleanType,
      DecimalType(9, 2),
      ArrayType(IntegerType),
      DateType
    )

  /** Values without the types of the specification that Spark does not know. */
  private val variants = Gen.frequency(
    1 -> Gen.const(None),
    9 -> Value.values(2).map(Value.encode(_)).retryUntil { case (metadata, bytes) =>
      Try(new Variant(bytes, metadata).toJson(ZoneId.of("UTC"))).isSuccess
    }.map(Some(_))
  )

  /** The value, or the condition of the error. */
  private def outcome(e: Expression, row: InternalRow): Either[String, Any] =
    Try(e.eval(row)).toEither.left.map {
      case error: SparkThrowable => error.getCondition
      case error => throw error
    }.map {
      case array: ArrayData => array.toObjectArray(IntegerType).toSeq
      case value => value
    }

  test("a strict cast of generated variants: values and errors are those of Spark, and both are met") {
    val met = scala.collection.mutable.Set.empty[String]
    val law = forAllNoShrink(variants, targets) { (value, target) =>
      val variant = value.map { case (metadata, bytes) =>
        new VariantVal(bytes, metadata)
      }.orNull
      val source = InternalRow(variant)
      val reference = BoundReference(0, VariantType, nullable = true)
      val cast = get(reference, "$", target, strict = true)
      val expected = outcome(cast, source)
      met += (if (expected.isLeft) "error" else if (expected.contains(null)) "NULL" else "value")
      // What files give: the value of the lax cast, and the variant where the strict cast fails.
      val lax = get(reference, "$", target).eval(source)
      val read = InternalRow(lax, if (expected.isLeft) variant else null)
      val made = StrictCast(
        BoundReference(0, target, nullable = true),
        BoundReference(1, VariantType, nullable = true),
        target,
        Some("UTC"),
        ""
      )
      Prop(outcome(made, read) == expected) :| s"${outcome(made, read)}, not $expected, of $variant as $target"
    }
    check(law)
    assertEquals(met.toSet, Set("error", "NULL", "value"))
  }

  private def check(law: Prop): Unit = {
    val result = org.scalacheck.Test.check(scalaCheckTestParameters.withMinSuccessfulTests(2000), law)
    assert(result.passed, org.scalacheck.util.Pretty.pretty(result))
  }

  test("a strict cast is recognised, and nothing else") {
    val value = AttributeReference("v.a::INT", IntegerType)()
    val failing = AttributeReference("v.a::INT failing", VariantType)()
    for (target <- Seq(IntegerType, ArrayType(IntegerType)))
      assertEquals(
        StrictCast.unapply(StrictCast(value, failing, target, Some("UTC"), "")),
        Some((value, failing, target: DataType))
      )
    for (
      e <- Seq(
        value,
        Coalesce(Seq(value, get(failing, "$", strict = true))),
        Coalesce(Seq(value, get(FailedCast(failing, ""), "$.a", strict = true))),
        Coalesce(Seq(value, get(FailedCast(failing, ""), "$"))),
        Coalesce(Seq(Literal(1), get(FailedCast(failing, ""), "$", strict = true)))
      )
    ) assertEquals(StrictCast.unapply(e), None, e)
  }

  test("two spellings of an access are two expressions, and a spelling is one for any column") {
    val spellings = Seq(
      get(v, "$.a", strict = true),
      get(v, "$['a']", strict = true),
      Cast(get(v, "$.a", VariantType, strict = true), IntegerType),
      get(get(v, "$.a", VariantType, strict = true), "$", strict = true)
    )
    def casts(column: Attribute) = spellings.map(access =>
      StrictCast(
        id,
        v,
        IntegerType,
        Some("UTC"),
        FailedCast.spelling(access.transform { case `v` => column })
      )
        .canonicalized
    )
    assertEquals(casts(v).distinct.size, spellings.size)
    assertEquals(casts(v), casts(v.newInstance().withName("w")))
  }
}
