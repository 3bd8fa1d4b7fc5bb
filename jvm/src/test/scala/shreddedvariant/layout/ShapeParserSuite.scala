/** Valid texts are parsed to their shapes; invalid texts are refused with the position of the error. */
package shreddedvariant.layout

import org.scalacheck.Prop.forAllNoShrink
import shreddedvariant.{Shapes, ShreddedVariantException}

class ShapeParserSuite extends shreddedvariant.LawSuite {
  import ScalarType._
  import Shape._

  private def reads(text: String, shape: Shape)(implicit loc: munit.Location): Unit =
    test(s"'$text' is a shape")(assertEquals(ShapeParser.parse(text), shape))

  reads("BIGINT", Shape.Scalar(Int64))
  reads("  bigint ", Shape.Scalar(Int64))
  reads("DECIMAL(12,2)", Shape.Scalar(Dec(12, 2)))
  reads("decimal( 12 , 2 )", Shape.Scalar(Dec(12, 2)))
  reads("DECIMAL", Shape.Scalar(Dec(10, 0)))
  reads("NUMERIC(5)", Shape.Scalar(Dec(5, 0)))
  reads("UUID", Shape.Scalar(Uuid))
  reads("TIME", Shape.Scalar(Time))
  reads("TIMESTAMP_NANOS", Shape.Scalar(TimestampNanos))
  reads("TIMESTAMP_NTZ_NANOS", Shape.Scalar(TimestampNtzNanos))
  reads("TIMESTAMP_LTZ", Shape.Scalar(Timestamp))
  reads("VARIANT", Untyped)
  reads("ARRAY<DOUBLE>", Shape.Array(Shape.Scalar(Float64)))
  reads("ARRAY<ARRAY<VARIANT>>", Shape.Array(Shape.Array(Untyped)))
  reads("a BIGINT", objectOf(Seq("a" -> Shape.Scalar(Int64))))
  reads("STRUCT<a: BIGINT>", objectOf(Seq("a" -> Shape.Scalar(Int64))))
  reads(
    "b STRUCT<c STRING>, a INT",
    objectOf(Seq("a" -> Shape.Scalar(Int32), "b" -> objectOf(Seq("c" -> Shape.Scalar(Str)))))
  )
  reads("int INT", objectOf(Seq("int" -> Shape.Scalar(Int32))))
  reads("`a b` INT, `c``d` INT", objectOf(Seq("a b" -> Shape.Scalar(Int32), "c`d" -> Shape.Scalar(Int32))))
  reads("A INT, a INT", objectOf(Seq("A" -> Shape.Scalar(Int32), "a" -> Shape.Scalar(Int32))))

  /** Checks that the parser refuses each text with this reason, and names this position in it. */
  private def refuses(reason: String)(texts: (String, Int)*)(implicit loc: munit.Location): Unit =
    for ((text, position) <- texts) test(s"'${text.take(30)}' is refused") {
      val e = intercept[ShreddedVariantException](ShapeParser.parse(text))
      assertEquals(e.condition, "SHREDDED_VARIANT_SHAPE")
      assert(e.getMessage.contains(s"at character $position ($reason"), e.getMessage)
    }

  refuses("it is empty")("" -> 1)
  refuses("a type was expected")("BIGNIT" -> 7)
  refuses("'BIGNIT' is not a type")("a BIGNIT" -> 3)
  refuses("a field name was expected")("a INT," -> 7, "STRUCT<>" -> 8)
  refuses("a comma or the end was expected")("a INT b INT" -> 7)
  refuses("the field 'a' stands there twice")("a INT, a STRING" -> 8)
  refuses("'>' was expected")("ARRAY<INT" -> 10)
  refuses("nothing more was expected")("ARRAY<INT>>" -> 11)
  refuses("a decimal has 1 to 38 digits")("DECIMAL(39,2)" -> 1, "DECIMAL(2,3)" -> 1)
  refuses("a backtick is not closed")("`a INT" -> 7)
  refuses("it is nested deeper than 500 levels")(("a " + "ARRAY<" * 500) -> 3002, ("ARRAY<" * 501) -> 3006)

  property("the DDL of a shape is parsed to the same shape") {
    forAllNoShrink(Shapes.shapes(4))(shape => ShapeParser.parse(shape.ddl) == shape)
  }
}
