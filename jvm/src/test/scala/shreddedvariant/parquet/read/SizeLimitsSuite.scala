/** A variant, or its JSON text, that exceeds `maxVariantBytes` is refused while it is built. */
package shreddedvariant.parquet.read

import shreddedvariant.{AllocatedBytes, ShreddedVariantException, Value, VariantFile}
import shreddedvariant.layout.{Shape, ShapeParser, WriteLayout}
import shreddedvariant.parquet.vector.VariantLimits

class SizeLimitsSuite extends shreddedvariant.Suite {
  private val limit = 1 << 20
  private val limits = VariantLimits(1000, limit)
  private val key = "k" * 20000

  private val texts = Value.Arr(Seq.fill(300)(Value.Text("x" * (1 << 16))))
  private val objects = Value.Arr(Seq.fill(3000)(Value.Obj(Map(key -> Value.Integer(1, 1)))))
  private val elements: Shape = ShapeParser.parse("ARRAY<STRING>")
  private val fields: Shape = ShapeParser.parse(s"ARRAY<STRUCT<`$key` INT>>")
  private val others: Shape = ShapeParser.parse("ARRAY<STRUCT<a INT>>")

  private def refused(value: Value, shape: Shape, layout: WriteLayout)(
      read: java.nio.file.Path => Any
  ): String = VariantFile.withFile { file =>
    VariantFile.write(file, Seq(Value.encode(value)), shape, layout = layout)
    val (e, bytes) = AllocatedBytes.of(intercept[ShreddedVariantException](read(file)))
    assertEquals(e.condition, "SHREDDED_VARIANT_TOO_LARGE")
    // Arrays that grow take four times the limit, the first read of a test some megabytes more.
    assert(bytes < 40L * limit, s"$bytes bytes were allocated")
    e.getMessage
  }

  for ((name, layout) <- WriteLayout.all) {
    test(s"a variant whose elements share one text is refused before it exceeds the limit ($name)") {
      val message = refused(texts, elements, layout)(VariantFile.read(_, limits))
      assert(message.contains(s"is larger than $limit bytes"), message)
    }

    test(s"the JSON text of elements that share one text is refused before it exceeds the limit ($name)") {
      val message = refused(texts, elements, layout)(VariantFile.readJson(_, limits))
      assert(message.contains(s"The JSON text of a variant at 'v' is larger than $limit bytes"), message)
    }

    for ((how, shape) <- Seq("stored" -> Shape.Untyped, "shredded" -> fields, "residual" -> others))
      test(
        s"the JSON text of objects that share one long key is refused before it exceeds the limit ($name, $how)"
      ) {
        val message = refused(objects, shape, layout)(VariantFile.readJson(_, limits))
        assert(message.contains(s"The JSON text of a variant at 'v' is larger than $limit bytes"), message)
      }

    test(s"a variant and a text of exactly the limit are read, and one byte more is refused ($name)") {
      val rows =
        Seq(Value.Obj(Map("a" -> Value.Arr(Seq.fill(300)(Value.Obj(Map("b" -> Value.Text("y" * 90))))))))
      val shape = ShapeParser.parse("a ARRAY<STRUCT<b STRING>>")
      VariantFile.withFile { file =>
        VariantFile.write(file, rows.map(Value.encode(_)), shape, layout = layout)
        val size = VariantFile.read(file).head._2.length
        val text = VariantFile.readJson(file).head.length
        assertEquals(VariantFile.read(file, VariantLimits(1000, size)).size, 1)
        assertEquals(VariantFile.readJson(file, VariantLimits(1000, text)).size, 1)
        intercept[ShreddedVariantException](VariantFile.read(file, VariantLimits(1000, size - 1)))
        intercept[ShreddedVariantException](VariantFile.readJson(file, VariantLimits(1000, text - 1)))
      }
    }
  }
}
