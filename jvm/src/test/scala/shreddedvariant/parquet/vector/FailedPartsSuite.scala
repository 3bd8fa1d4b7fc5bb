/** The parts of a lax cast say whether Spark's strict cast of the same variant raises an error. */
package shreddedvariant.parquet.vector

import java.time.ZoneOffset

import scala.util.Try

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.expressions.variant.{VariantCastArgs, VariantGet}
import org.apache.spark.sql.types._
import org.apache.spark.types.variant.Variant
import org.scalacheck.Gen
import org.scalacheck.Prop.forAllNoShrink
import shreddedvariant.Value
import shreddedvariant.Value._

class FailedPartsSuite extends shreddedvariant.LawSuite {
  private def cast(variant: Variant, target: DataType, strict: Boolean) =
    VariantGet.cast(variant, target, VariantCastArgs(strict, Some("UTC"), ZoneOffset.UTC))

  private val scalars: Gen[DataType] = Gen.oneOf(IntegerType, StringType, BooleanType, VariantType, DateType)
  private def targets(depth: Int): Gen[DataType] = {
    val inner = if (depth == 0) scalars else Gen.oneOf(scalars, targets(depth - 1))
    Gen.oneOf(
      inner.map(ArrayType(_)),
      inner.map(MapType(StringType, _)),
      Gen.listOfN(3, inner).map(of =>
        StructType(Seq("a", "b", "z").zip(of).map(f => StructField(f._1, f._2)))
      )
    )
  }

  private val leaves: Gen[Value] =
    Gen.oneOf(Gen.const(Null), Gen.oneOf(1L, 7L).map(Integer(_, 8)), Gen.oneOf("1", "x").map(Text(_)))
  private def values(depth: Int): Gen[Value] =
    if (depth == 0) leaves
    else
      Gen.frequency(
        1 -> leaves,
        3 -> Gen.choose(0, 3).flatMap(Gen.listOfN(_, values(depth - 1))).map(Arr(_)),
        3 -> Gen.choose(0, 3).flatMap(n =>
          Gen.listOfN(n, Gen.zip(Gen.oneOf("a", "b", "c"), values(depth - 1)))
        )
          .map(fields => Obj(fields.toMap))
      )

  test("generated variants: a lax cast has a failed part where the strict cast raises, and both are met") {
    val met = scala.collection.mutable.Map.empty[Boolean, Int].withDefaultValue(0)
    val law = forAllNoShrink(values(3), targets(2)) { (value, target) =>
      val (metadata, bytes) = Value.encode(value)
      val variant = new Variant(bytes, metadata)
      val raises = Try(cast(variant, target, strict = true)).failed.toOption.map {
        case error: SparkThrowable => error.getCondition
        case error => throw error
      }
      assert(raises.forall(_ == "INVALID_VARIANT_CAST"))
      met(raises.isDefined) += 1
      FailedParts.has(variant, cast(variant, target, strict = false), target) == raises.isDefined
    }
    val result = org.scalacheck.Test.check(scalaCheckTestParameters.withMinSuccessfulTests(3000), law)
    assert(result.passed, org.scalacheck.util.Pretty.pretty(result))
    assert(met(true) > 500 && met(false) > 500, met)
  }
}
