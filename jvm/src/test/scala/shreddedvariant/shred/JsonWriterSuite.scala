/** The JSON text that is written from the cells equals the text that Spark writes from the variant. */
package shreddedvariant.shred

import java.time.ZoneId

import scala.util.Try

import org.apache.spark.types.variant.{Variant, VariantBuilder}
import org.apache.spark.unsafe.types.UTF8String
import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAllNoShrink
import shreddedvariant.{Shapes, Value, VariantFile}
import shreddedvariant.binary.{Budget, Dictionary, MalformedVariant}
import shreddedvariant.layout.{Shape, WriteLayout}

class JsonWriterSuite extends shreddedvariant.LawSuite {
  private val utc = ZoneId.of("UTC")
  private val rows: Gen[Seq[Value]] = Gen.choose(0, 12).flatMap(Gen.listOfN(_, Value.values(3)))

  /** Spark refuses some types of the specification. Our writer must refuse them too, and have the text of all others. */
  private def agrees(values: Seq[Value], shape: Shape): Prop = {
    val (known, unknown) = values.partition { value =>
      val (metadata, bytes) = Value.encode(value)
      Try(new Variant(bytes, metadata).toJson(utc)).isSuccess
    }
    Prop.all((for {
      layout <- WriteLayout.all.values.toSeq
      some <- Seq(known) ++ unknown.take(1).map(known :+ _)
    } yield agrees(layout, some, some.size == known.size, shape)): _*)
  }

  private def agrees(layout: WriteLayout, values: Seq[Value], isKnown: Boolean, shape: Shape) =
    VariantFile.withFile { file =>
      VariantFile.write(file, values.map(Value.encode(_)), shape, layout = layout)
      val spark =
        Try(VariantFile.read(file).map { case (metadata, value) => new Variant(value, metadata).toJson(utc) })
      val ours = Try(VariantFile.readJson(file))
      Prop(spark.isSuccess == isKnown && ours.toOption == spark.toOption) :|
        s"$layout ${shape.ddl}\n spark $spark\n ours  $ours"
    }

  property("any values under any shape have Spark's text") {
    forAllNoShrink(rows, Shapes.shapes(3))(agrees)
  }

  property("values under a shape that fits them in part have Spark's text") {
    val fitting = for {
      values <- rows.suchThat(_.nonEmpty)
      shape <- Shapes.near(values.head)
    } yield (values, shape)
    forAllNoShrink(fitting) { case (values, shape) => agrees(values, shape) }
  }

  private def text(write: JsonText => Unit): String = {
    val out = new Bytes(4)
    write(new JsonText(out, utc, 1000))
    new String(out.slice(0, out.length), "UTF-8")
  }

  private def spark(build: VariantBuilder => Unit): String = {
    val builder = new VariantBuilder(false)
    build(builder)
    builder.result().toJson(utc)
  }

  test("strings are escaped as Spark escapes them") {
    val controls = (0 until 0x80).map(_.toChar.toString)
    for (s <- controls ++ Seq("", "a\"b\\c", "é\n", "\uD83D\uDE00\t", "\u2028", "x" * 1000 + "\u0001")) {
      assertEquals(text(_.string(UTF8String.fromString(s))), spark(_.appendString(s)), s)
      assertEquals(
        text(_.string(s.getBytes("UTF-8"), 0, s.getBytes("UTF-8").length)),
        spark(_.appendString(s))
      )
    }
  }

  test("invalid UTF-8 is replaced as Spark replaces it") {
    for (
      bytes <- Seq(Array(0xff), Array(0x61, 0xc3), Array(0xed, 0xa0, 0x80), Array(0xc0, 0x80, 0x22)).map(
        _.map(_.toByte)
      )
    ) {
      val value = Array[Byte]((bytes.length << 2 | 1).toByte) ++ bytes
      assertEquals(
        text(_.string(UTF8String.fromBytes(bytes))),
        new Variant(value, Array[Byte](1, 0, 0)).toJson(utc)
      )
    }
  }

  test("numbers are formatted as Spark formats them") {
    val longs = Seq(0L, 1, 9, 10, -10, 99, 100, Long.MaxValue, Long.MinValue, Long.MinValue + 1) ++
      Seq.iterate(1L, 19)(_ * 10).flatMap(p => Seq(p, -p, p - 1, p + 1))
    for (n <- longs) assertEquals(text(_.integer(n)), spark(_.appendLong(n)))
    for (n <- longs; scale <- 0 to 18 if n != Long.MinValue) {
      val decimal = java.math.BigDecimal.valueOf(n, scale)
      if (decimal.precision <= 38)
        assertEquals(text(_.decimal(n, scale)), spark(_.appendDecimal(decimal)), s"$n $scale")
    }
    for (
      d <-
        Seq(0.0, -0.0, 1.5, 1e300, 1e-7, 100.0, Double.NaN, Double.NegativeInfinity, Double.MinPositiveValue)
    )
      assertEquals(text(_.double(d)), spark(_.appendDouble(d)))
  }

  test("a value that is nested too deep is refused") {
    val out = new Bytes(4)
    val deep = Iterator.iterate(Array[Byte](0))(v =>
      Array[Byte](3 | 1 << 2, 1, 0, 0, v.length.toByte, (v.length >> 8).toByte) ++ v
    )
    val refused = intercept[MalformedVariant] {
      val bytes = deep.drop(30).next()
      new JsonText(out, utc, 20).value(bytes, 0, new Dictionary(Dictionary.noKeys), new Budget(bytes.length))
    }
    assertEquals(refused.reason, "it is nested deeper than 20")
  }
}
