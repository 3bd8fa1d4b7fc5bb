/** The law of shredding: rebuild(shred(value, shape)) = value, for all values and all shapes. */
package shreddedvariant.parquet.write

import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAllNoShrink
import shreddedvariant.{Shapes, Value, VariantFile}
import shreddedvariant.layout.{Shape, WriteLayout}

class RoundTripSuite extends shreddedvariant.LawSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(150)

  private val rows: Gen[Seq[Value]] =
    Gen.choose(0, 12).flatMap(Gen.listOfN(_, Gen.frequency(9 -> Value.values(3), 1 -> Gen.const(null))))

  private def survives(values: Seq[Value], shape: Shape, seed: Long): Prop =
    Prop.all(WriteLayout.all.values.toSeq.map(survives(_, values, shape, seed)): _*)

  private def survives(
      layout: WriteLayout,
      values: Seq[Value],
      shape: Shape,
      seed: Long
  ): Prop = VariantFile.withFile { file =>
    val shuffle = new scala.util.Random(seed)
    val stored = values.map(v => if (v == null) null else Value.encode(v, shuffle.shuffle(_)))
    VariantFile.write(file, stored, shape, layout = layout)
    val read = VariantFile.read(file).map(v => if (v == null) null else Value.decode(v._1, v._2))
    Prop(
      read.map(logical) == values.map(logical)
    ) :| s"$layout ${shape.ddl}\n written $values\n read    $read"
  }

  private def logical(value: Value) = if (value == null) null else Value.logical(value)

  property("any values come back from any shape") {
    forAllNoShrink(rows, Shapes.shapes(3), Gen.long)(survives)
  }

  property("values come back from a shape that fits them in part") {
    val fitting = for {
      values <- rows.suchThat(_.exists(_ != null))
      shape <- Shapes.near(values.find(_ != null).get)
    } yield (values, shape)
    forAllNoShrink(fitting, Gen.long) { case ((values, shape), seed) => survives(values, shape, seed) }
  }

  property("an unshredded variant keeps its bytes") {
    forAllNoShrink(rows) { values =>
      VariantFile.withFile { file =>
        val stored = values.map(v => if (v == null) null else Value.encode(v))
        VariantFile.write(file, stored, Shape.Untyped)
        val read = VariantFile.read(file)
        Prop(read.map(hex) == stored.map(hex))
      }
    }
  }

  test("keys that Spark orders by UTF-16 are written in the order of UTF-8") {
    // U+E000 is after U+1F600 in UTF-16 and before it in UTF-8.
    val value =
      Value.Obj(Map("\uE000" -> Value.Bool(true), "\uD83D\uDE00" -> Value.Obj(Map("\uE000" -> Value.Null))))
    val builder = org.apache.spark.types.variant.VariantBuilder.parseJson(
      "{\"\uE000\": true, \"\uD83D\uDE00\": {\"\uE000\": null}}",
      false
    )
    for {
      text <- Seq("VARIANT", "x INT", "`\uD83D\uDE00` INT")
      layout <- WriteLayout.all.values
    }
      VariantFile.withFile { file =>
        VariantFile.write(
          file,
          Seq((builder.getMetadata, builder.getValue)),
          shreddedvariant.layout.ShapeParser.parse(text),
          layout = layout
        )
        val (metadata, bytes) = VariantFile.read(file).head
        assertEquals(Value.decode(metadata, bytes): Value, value)
      }
  }

  test("objects with the same dictionary may have other keys, or more keys, than earlier objects") {
    val random = new scala.util.Random(5)
    val keys = Seq("a", "b", "c", "x", "y", "z")
    // Objects in arrays: the objects of a row, and of rows with the same keys, have the same dictionary.
    val values = Seq.fill(200)(Value.Arr(Seq.fill(8) {
      val some = random.shuffle(keys).take(random.nextInt(keys.size + 1))
      Value.Obj(some.map(_ -> Value.Integer(random.nextInt(100).toLong, 1)).toMap)
    }))
    val shape = shreddedvariant.layout.ShapeParser.parse("ARRAY<STRUCT<a BIGINT, b BIGINT, c STRING>>")
    for (layout <- WriteLayout.all.values) VariantFile.withFile { file =>
      VariantFile.write(file, values.map(Value.encode(_)), shape, layout = layout)
      val read = VariantFile.read(file).map(v => Value.decode(v._1, v._2))
      assertEquals(read.map(Value.logical), values.map(Value.logical))
    }
  }

  private def hex(row: VariantFile.Bytes) =
    if (row == null) null else row._1.toSeq -> row._2.toSeq

  for (layout <- WriteLayout.all.values)
    test(s"rows of many batches and row groups are read in order: $layout")(VariantFile.withFile { file =>
      val values = (0 until 20000).map { i =>
        Value.Obj(Map(
          "a" -> Value.Integer(i.toLong, 4),
          "b" -> Value.Arr(Seq.tabulate(i % 4)(j => Value.Obj(Map("c" -> Value.Text(s"$i-$j"))))),
          "r" -> Value.Text("x" * (i % 70))
        ))
      }
      val shape = shreddedvariant.layout.ShapeParser.parse("a BIGINT, b ARRAY<STRUCT<c STRING>>")
      VariantFile.write(file, values.map(Value.encode(_)), shape, rowGroupSize = 64 * 1024, layout)
      val read = VariantFile.read(file, batchSize = 4096).map(v => Value.decode(v._1, v._2))
      assertEquals(read.size, values.size)
      values.zip(read).foreach { case (want, got) => assertEquals(Value.logical(got), Value.logical(want)) }
    })
}
