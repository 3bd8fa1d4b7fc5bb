/** The group that is written for a shape is bound to cells of the same shape. */
package shreddedvariant.layout

import org.apache.parquet.schema.{MessageType, MessageTypeParser}
import org.apache.parquet.schema.Type.Repetition
import org.scalacheck.Prop.forAllNoShrink
import shreddedvariant.{Shapes, ShreddedVariantException}

class ParquetLayoutSuite extends shreddedvariant.LawSuite {
  private def file(shape: Shape) =
    new MessageType("file", ParquetLayout.variantGroup("v", Repetition.OPTIONAL, None, shape))

  private def shapeOf(cell: FileCell): Shape = cell.typed match {
    case Seq(FileTyped.Scalar(scalar, _)) => Shape.Scalar(scalar)
    case Seq(FileTyped.Array(_, element)) => Shape.Array(shapeOf(element))
    case Seq(typed: FileTyped.Object) => Shape.Object(typed.fields.map { case (k, c) => k -> shapeOf(c) })
    case _ => Shape.Untyped
  }

  property("the file's cells have the shape that was written") {
    forAllNoShrink(Shapes.shapes(4))(shape =>
      shapeOf(FileCell.bind(file(shape), Seq("v"), "v", 100).root) == shape
    )
  }

  test("the example of the specification is written exactly") {
    val shape = ShapeParser.parse("event_type STRING, event_ts TIMESTAMP, tags ARRAY<STRING>")
    val expected = MessageTypeParser.parseMessageType("""message file {
      optional group v (VARIANT(1)) {
        required binary metadata;
        optional binary value;
        optional group typed_value {
          required group event_ts {
            optional binary value;
            optional int64 typed_value (TIMESTAMP(MICROS,true));
          }
          required group event_type {
            optional binary value;
            optional binary typed_value (STRING);
          }
          required group tags {
            optional binary value;
            optional group typed_value (LIST) {
              repeated group list {
                required group element {
                  optional binary value;
                  optional binary typed_value (STRING);
                }
              }
            }
          }
        }
      }
    }""")
    assertEquals(file(shape).toString, expected.toString)
  }

  private def refuses(name: String, group: String, condition: String, text: String)(implicit
      loc: munit.Location
  ): Unit =
    test(s"a file is refused with $name") {
      val schema = MessageTypeParser.parseMessageType(s"message file { optional group v { $group } }")
      val e = intercept[ShreddedVariantException](shapeOf(FileCell.bind(schema, Seq("v"), "v", 3).root))
      assertEquals(e.condition, s"SHREDDED_VARIANT_$condition")
      assert(e.getMessage.contains(text), e.getMessage)
    }

  private val metadata = "required binary metadata;"

  refuses("no metadata", "optional binary value;", "MALFORMED_LAYOUT", "it has no metadata column")
  refuses(
    "metadata as text",
    "required binary metadata (STRING); optional binary value;",
    "MALFORMED_LAYOUT",
    "its metadata is"
  )
  refuses("a value of numbers", s"$metadata optional int32 value;", "MALFORMED_LAYOUT", "its value is")
  refuses("neither value nor typed_value", metadata, "MALFORMED_LAYOUT", "neither value nor typed_value")
  refuses(
    "an unknown column",
    s"$metadata optional binary value; optional int32 x;",
    "MALFORMED_LAYOUT",
    "it holds 'x' beside"
  )
  refuses(
    "an unsigned number",
    s"$metadata optional int32 typed_value (INTEGER(32,false));",
    "UNSUPPORTED_TYPE",
    "INTEGER(32,false)"
  )
  refuses(
    "a timestamp in milliseconds",
    s"$metadata optional int64 typed_value (TIMESTAMP(MILLIS,true));",
    "UNSUPPORTED_TYPE",
    "MILLIS"
  )
  refuses(
    "an instant of time",
    s"$metadata optional int64 typed_value (TIME(MICROS,true));",
    "UNSUPPORTED_TYPE",
    "TIME(MICROS,true)"
  )
  refuses("an INT96", s"$metadata optional int96 typed_value;", "UNSUPPORTED_TYPE", "INT96")
  refuses(
    "a fixed binary",
    s"$metadata optional fixed_len_byte_array(4) typed_value;",
    "UNSUPPORTED_TYPE",
    "FIXED_LEN_BYTE_ARRAY"
  )
  refuses("a repeated value", s"$metadata repeated int32 typed_value;", "MALFORMED_LAYOUT", "repeated")
  refuses(
    "a field that is not a group",
    s"$metadata optional group typed_value { optional int32 a; }",
    "MALFORMED_LAYOUT",
    "its field 'a' is not a group"
  )
  refuses(
    "a list of two levels",
    s"$metadata optional group typed_value (LIST) { repeated int32 element; }",
    "MALFORMED_LAYOUT",
    "not a three-level list"
  )
  refuses(
    "a map",
    s"$metadata optional group typed_value (MAP) { repeated group key_value { required binary key; optional int32 value; } }",
    "UNSUPPORTED_TYPE",
    "MAP"
  )
  refuses(
    "too many levels",
    metadata + "optional group typed_value { required group a { " * 4 + "optional int32 typed_value;" + "} }" * 4,
    "TOO_DEEP",
    "maxVariantDepth"
  )

  test("groups of lists may have any name, fields may be optional, columns may have any order") {
    val schema = MessageTypeParser.parseMessageType("""message file { optional group v {
      optional group typed_value { optional group f {
        optional group typed_value (LIST) { repeated group bag { optional group item { optional int32 typed_value; } } }
      } }
      optional binary value;
      required binary metadata;
    } }""")
    assertEquals(shapeOf(FileCell.bind(schema, Seq("v"), "v", 3).root).ddl, "STRUCT<f ARRAY<INT>>")
  }
}
