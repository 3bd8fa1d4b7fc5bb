/** The groups of the draft layout: written groups, read groups, refused groups, and recognition of variants. */
package shreddedvariant.layout

import org.apache.parquet.schema.{GroupType, MessageType, MessageTypeParser}
import org.apache.parquet.schema.Type.Repetition
import org.scalacheck.Prop.forAllNoShrink
import shreddedvariant.{Shapes, ShreddedVariantException}

class DraftLayoutSuite extends shreddedvariant.LawSuite {
  private def file(shape: Shape) =
    new MessageType("file", DraftLayout.variantGroup("variant_col", Repetition.OPTIONAL, None, shape))

  private def parsed(group: String) =
    MessageTypeParser.parseMessageType(s"message file { optional group v { $group } }")

  private def bind(group: String) = FileCell.bind(parsed(group), Seq("v"), "v", 3)

  /** The kinds of the parts of a cell, recursively. */
  private def parts(cell: FileCell): String = (cell.value.map(_ => "untyped").toSeq ++ cell.typed.map {
    case FileTyped.Scalar(scalar, _) => scalar.ddl
    case FileTyped.Array(_, element) => s"[${parts(element)}]"
    case typed: FileTyped.Object =>
      typed.fields.map { case (k, c) => s"$k: ${parts(c)}" }.mkString("{", ", ", "}")
  }).mkString(" ")

  private def expected(shape: Shape): String = "untyped" + (shape match {
    case Shape.Untyped => ""
    case Shape.Scalar(scalar) => " " + scalar.ddl
    case Shape.Array(element) => s" [${expected(element)}]"
    case Shape.Object(fields) => fields.map { case (k, s) => s"$k: ${expected(s)}" }.mkString(" {", ", ", "}")
  })

  property("the file's cells have the shape that was written") {
    forAllNoShrink(Shapes.shapes(4)) { shape =>
      val bound = FileCell.bind(file(shape), Seq("variant_col"), "v", 100)
      bound.isDraft && parts(bound.root) == expected(shape)
    }
  }

  test("the two examples of the specification are written exactly") {
    val examples = Seq(
      "a BIGINT, b STRUCT<c STRING>" -> """
        optional binary untyped_value;
        optional group object {
          optional group a { optional binary untyped_value; optional int64 typed_value; }
          optional group b {
            optional binary untyped_value;
            optional group object {
              optional group c { optional binary untyped_value; optional binary typed_value (STRING); }
            }
          }
        }""",
      "ARRAY<STRUCT<a ARRAY<BIGINT>, b BIGINT>>" -> """
        optional binary untyped_value;
        optional group array (LIST) { repeated group list { optional group element {
          optional binary untyped_value;
          optional group object {
            optional group a {
              optional binary untyped_value;
              optional group array (LIST) { repeated group list { optional group element {
                optional binary untyped_value; optional int64 typed_value;
              } } }
            }
            optional group b { optional binary untyped_value; optional int64 typed_value; }
          }
        } } }"""
    )
    for ((shape, group) <- examples) {
      val expectedFile =
        MessageTypeParser.parseMessageType(s"message file { optional group variant_col { $group } }")
      assertEquals(file(ShapeParser.parse(shape)).toString, expectedFile.toString)
    }
  }

  private def reads(name: String, group: String, cells: String)(implicit loc: munit.Location): Unit =
    test(s"a file is read with $name")(assertEquals(parts(bind(group).root), cells))

  private val untyped = "optional binary untyped_value;"

  reads(
    "all four columns",
    s"optional int32 typed_value; optional group array (LIST) { repeated group list { optional group element { $untyped } } } " +
      s"optional group object { optional group a { $untyped } } $untyped",
    "untyped {a: untyped} [untyped] INT"
  )
  reads("typed_value alone", "optional int64 typed_value;", "BIGINT")
  reads(
    "object alone",
    "optional group object { optional group a { optional int64 typed_value; } }",
    "{a: BIGINT}"
  )
  reads(
    "extensions that begin with an underscore",
    s"optional int32 _metadata_key_paths; optional group _spark_x { optional int32 y; } $untyped " +
      s"optional group object { optional group a { $untyped optional binary _x (STRING); } }",
    "untyped {a: untyped}"
  )
  reads(
    "keys that have the names of columns",
    s"optional group object { ${Seq("_a", "array", "metadata", "object", "typed_value", "untyped_value", "value").map(
        k => s"optional group $k { $untyped }"
      ).mkString(" ")} }",
    Seq("_a", "array", "metadata", "object", "typed_value", "untyped_value", "value").map(k =>
      s"$k: untyped"
    ).mkString("{", ", ", "}")
  )
  reads(
    "lists whose groups have other names",
    s"optional group array (LIST) { repeated group bag { required group item { optional int32 typed_value; } } }",
    "[INT]"
  )

  private def refuses(name: String, group: String, condition: String, text: String)(implicit
      loc: munit.Location
  ): Unit =
    test(s"a file is refused with $name") {
      val e = intercept[ShreddedVariantException](parts(bind(group).root))
      assertEquals(e.condition, s"SHREDDED_VARIANT_$condition")
      assert(e.getMessage.contains(text), e.getMessage)
    }

  refuses(
    "an unknown column",
    s"$untyped optional int32 x;",
    "MALFORMED_LAYOUT",
    "it holds 'x' beside array, object"
  )
  refuses(
    "an unknown column in a field",
    s"optional group object { optional group a { $untyped optional int32 value; } }",
    "MALFORMED_LAYOUT",
    "'v.a' does not follow the shredding layout (it holds 'value'"
  )
  refuses(
    "untyped_value as text",
    "optional binary untyped_value (STRING);",
    "MALFORMED_LAYOUT",
    "its untyped_value is"
  )
  refuses("untyped_value as number", "optional int32 untyped_value;", "MALFORMED_LAYOUT", "not binary")
  refuses(
    "object as a column",
    s"$untyped optional int32 object;",
    "MALFORMED_LAYOUT",
    "not a group of fields"
  )
  refuses(
    "object as a list",
    s"$untyped optional group object (LIST) { repeated group list { optional group element { $untyped } } }",
    "MALFORMED_LAYOUT",
    "not a group of fields"
  )
  refuses("array as a column", s"$untyped repeated int32 array;", "MALFORMED_LAYOUT", "not a list")
  refuses(
    "array as a list of two levels",
    s"$untyped optional group array (LIST) { repeated int32 element; }",
    "MALFORMED_LAYOUT",
    "not a three-level list"
  )
  refuses(
    "typed_value as a group",
    s"$untyped optional group typed_value { optional int32 a; }",
    "MALFORMED_LAYOUT",
    "not a single column"
  )
  refuses(
    "typed_value repeated",
    s"$untyped repeated int32 typed_value;",
    "MALFORMED_LAYOUT",
    "not a single column"
  )
  refuses(
    "a type that no variant has",
    s"$untyped optional int32 typed_value (INTEGER(32,false));",
    "UNSUPPORTED_TYPE",
    "INTEGER(32,false)"
  )
  refuses(
    "a field that is not a group",
    "optional group object { optional int32 a; }",
    "MALFORMED_LAYOUT",
    "its field 'a'"
  )
  refuses(
    "a field without any column",
    "optional group object { optional group a { optional int32 _x; } }",
    "MALFORMED_LAYOUT",
    "neither untyped_value nor object nor array nor typed_value"
  )
  refuses(
    "too many levels",
    "optional group object { optional group a { " * 4 + "optional int32 typed_value;" + "} }" * 4,
    "TOO_DEEP",
    "maxVariantDepth"
  )

  private def isVariant(group: String) = DraftLayout.isVariant(parsed(group).getType(0))

  test("a group with only the draft's fields is a variant, a group with other fields is not") {
    val a = s"optional group object { optional group a { $untyped } }"
    for (
      group <-
        Seq(untyped, s"$untyped optional int64 typed_value;", s"$a $untyped", s"$untyped optional int32 _x;")
    )
      assert(isVariant(group), group)
    for (
      group <- Seq(
        a,
        "optional int64 typed_value;",
        s"$untyped optional int32 x;",
        "optional binary untyped_value (STRING);",
        "repeated binary untyped_value;",
        s"required binary metadata; $untyped",
        "required binary metadata; optional binary value;"
      )
    ) assert(!isVariant(group), group)
    val list = MessageTypeParser.parseMessageType(
      s"message m { optional group v (LIST) { repeated group untyped_value { $untyped } } }"
    )
    assert(!DraftLayout.isVariant(list.getType(0)))
    assert(!DraftLayout.isVariant(list.getType(0).asInstanceOf[GroupType].getType(0)))
  }

  test("the writer uses no reserved name") {
    def names(group: GroupType): Seq[String] = {
      import scala.jdk.CollectionConverters._
      group.getFields.asScala.toSeq.flatMap { f =>
        f.getName +: (if (f.isPrimitive) Nil else names(f.asGroupType))
      }
    }
    val written = names(file(ShapeParser.parse("a ARRAY<STRUCT<b INT>>, c STRING")))
    assert(!written.exists(DraftLayout.isIgnored), written)
  }
}
