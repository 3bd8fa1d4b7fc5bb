/** Bounds as text: Z85, normalized paths, shortened strings, and the variant that contains the bounds. */
package shreddedvariant.delta

import java.math.BigDecimal
import java.util.Arrays

import org.scalacheck.{Arbitrary, Gen}
import org.scalacheck.Prop.forAll
import shreddedvariant.binary.Encoding
import shreddedvariant.layout.{ScalarType, Shape}
import shreddedvariant.stats.{Datum, DatumOrder, SkippingRules}

class BoundsTextSuite extends shreddedvariant.LawSuite {

  // ---- Z85 ----

  test("the sample of RFC 32") {
    val bytes = Array(0x86, 0x4f, 0xd2, 0x6f, 0xb5, 0x59, 0xf7, 0x5b).map(_.toByte)
    assertEquals(Z85.encode(bytes), "HelloWorld")
    assertEquals(Z85.decode("HelloWorld").map(_.toSeq), Some(bytes.toSeq))
  }

  property("decoding gives the encoded bytes and zeros after them") {
    forAll { (bytes: Array[Byte]) =>
      val decoded = Z85.decode(Z85.encode(bytes)).get
      assertEquals(decoded.take(bytes.length).toSeq, bytes.toSeq)
      assert(decoded.length - bytes.length < 4 && decoded.drop(bytes.length).forall(_ == 0))
    }
  }

  for (text <- Seq("Hell", "Hello Worl", "Hell\u00e9World", "#####"))
    test(s"'$text' is not an encoding of bytes")(assertEquals(Z85.decode(text), None))

  // ---- RFC 9535, normalized paths ----

  for (
    (keys, path) <- Seq(
      Seq() -> "$",
      Seq("a") -> "$['a']",
      Seq("b", "c") -> "$['b']['c']",
      Seq("") -> "$['']",
      Seq("a.b") -> "$['a.b']",
      Seq("it's") -> "$['it\\'s']",
      Seq("\"") -> "$['\"']",
      Seq("\\") -> "$['\\\\']",
      Seq("\b\t\n\f\r") -> "$['\\b\\t\\n\\f\\r']",
      Seq("\u0000\u001f\u000b") -> "$['\\u0000\\u001f\\u000b']",
      Seq("\u007f\u00e9\ud83d\ude00") -> "$['\u007f\u00e9\ud83d\ude00']"
    )
  ) test(s"the path of ${keys.mkString("[", ", ", "]")}") {
    assertEquals(NormalizedPath.of(keys), path)
    assertEquals(NormalizedPath.keys(path), Some(keys))
  }

  for (
    text <- Seq(
      "",
      "a",
      "$.a",
      "$['a'",
      "$['a]",
      "$['a'][0]",
      "$[\"a\"]",
      "$['\\q']",
      "$['\\u00zz']",
      "$['a'] ",
      "$['a\\"
    )
  )
    test(s"'$text' is not a path through objects")(assertEquals(NormalizedPath.keys(text), None))

  // ---- shortened strings and binaries ----

  private val order = new DatumOrder(SkippingRules.all)
  private def utf8(text: String) = Datum.Bytes(Shape.utf8(text))

  /**
   * Lengths around the limit, with code points that are hard to increase: the last one, and the one before the
   * gap.
   */
  private val texts: Gen[String] = for {
    size <- Gen.oneOf(Gen.choose(0, 4), Gen.choose(30, 40))
    points <- Gen.listOfN(
      size,
      Gen.oneOf(Gen.const(0x10ffff), Gen.const(0xd7ff), Gen.choose(32, 0xd7ff), Gen.choose(0xe000, 0x10ffff))
    )
  } yield new String(points.toArray, 0, points.size)

  property("a shortened string is a bound of the whole string") {
    forAll(texts) { text =>
      assert(order.lteq(utf8(Shortened.lower(text)), utf8(text)))
      for (upper <- Shortened.upper(text)) {
        assert(order.gteq(utf8(upper), utf8(text)))
        assert(upper.codePointCount(0, upper.length) <= Shortened.Length)
      }
    }
  }

  test("there is no short upper bound of the last code points") {
    assertEquals(Shortened.upper("\udbff\udfff" * 40), None)
    assertEquals(Shortened.upper(Array.fill(40)(-1.toByte)).map(_.toSeq), None)
  }

  property("a shortened binary is a bound of the whole binary") {
    forAll(Gen.listOfN(36, Gen.oneOf(Gen.const(-1.toByte), Arbitrary.arbByte.arbitrary)).map(_.toArray)) {
      bytes =>
        assert(Arrays.compareUnsigned(Shortened.lower(bytes), bytes) <= 0)
        Shortened.upper(bytes).foreach(upper => assert(Arrays.compareUnsigned(upper, bytes) >= 0))
    }
  }

  test("bytes that are not UTF-8 give no text")(assertEquals(Shortened.text(Array(-1, 0)), None))

  // ---- bounds ----

  private def string(path: String, value: String) = VariantBound(path, ScalarType.Str, utf8(value))
  private def int8(path: String, value: Long) = VariantBound(path, ScalarType.Int8, Datum.exact(value))

  test("the samples of the RFC") {
    val min = Seq(string("$['a']", "min-string"), int8("$['b']['c']", 1))
    val max = Seq(string("$['a']", "variant"), int8("$['b']['c']", 100))
    assertEquals(VariantBounds.encode(min), Some("0rJl95HpNdvjbtatpi(cu0wW^cTu=P0096c4jMddzy]{KA+PA73&{td"))
    assertEquals(VariantBounds.encode(max), Some("0rJl95HpNdvjbtatpi(cu0wW^cTu=P009693lsp#A+O%1BpqWW"))
  }

  test("bounds of another writer") {
    val bounds = VariantBounds.decode("0rJlc5f$EczEEx[cTw04cUW9st(>6d00icd1U*?]0000000000")
    assertEquals(bounds("$['id']"), VariantBound("$['id']", ScalarType.Int64, Datum.exact(0)))
    assertEquals(bounds("$['name']"), string("$['name']", "1"))
  }

  private def exact(text: String) = Datum.Exact(new BigDecimal(text))

  for (
    (scalar, value) <- Seq(
      ScalarType.Bool -> Datum.exact(1),
      ScalarType.Bool -> Datum.exact(0),
      ScalarType.Int8 -> Datum.exact(-128),
      ScalarType.Int16 -> Datum.exact(-1),
      ScalarType.Int32 -> Datum.exact(Int.MaxValue.toLong),
      ScalarType.Int64 -> Datum.exact(Long.MinValue),
      ScalarType.Float32 -> Datum.Floating(0.5),
      ScalarType.Float64 -> Datum.Floating(Double.NegativeInfinity),
      ScalarType.Dec(9, 2) -> exact("-9999999.99"),
      ScalarType.Dec(18, 0) -> exact("999999999999999999"),
      ScalarType.Dec(38, 38) -> exact("-0.99999999999999999999999999999999999999"),
      ScalarType.Date -> Datum.exact(-719162),
      ScalarType.Time -> Datum.exact(86399999999L),
      ScalarType.Timestamp -> Datum.exact(-1),
      ScalarType.TimestampNtz -> Datum.exact(253402300799999999L),
      ScalarType.TimestampNanos -> Datum.exact(1),
      ScalarType.TimestampNtzNanos -> Datum.exact(Long.MaxValue),
      ScalarType.Binary -> Datum.Bytes(Array(0, -1)),
      ScalarType.Uuid -> Datum.Bytes((0 until 16).map(i => (0xf0 + i).toByte).toArray),
      ScalarType.Str -> utf8(""),
      ScalarType.Str -> utf8("\ud83d\ude00" * 40)
    )
  ) test(s"a bound of ${scalar.ddl}, $value, is decoded with its type") {
    val bound = VariantBound("$['a']", scalar, value)
    assertEquals(VariantBounds.decode(VariantBounds.encode(Seq(bound)).get), Map("$['a']" -> bound))
  }

  test("many paths with long names") {
    val bounds = (0 until 300).map(i => int8(s"$$['${"k" * 300}$i']", (i % 100).toLong))
    assertEquals(VariantBounds.decode(VariantBounds.encode(bounds).get), bounds.map(b => b.path -> b).toMap)
  }

  /** Bounds whose fields have the key `k` times `length`, and the text `t` times `length`, which they share. */
  private def sharing(fields: Int, length: Int): String = {
    def little(numbers: Int*) = numbers.flatMap(n => Seq(n, n >> 8, n >> 16, n >> 24).map(_.toByte)).toArray
    val metadata = Array(0xc1.toByte) ++ little(1, 0, length) ++ Array.fill(length)('k'.toByte)
    val text = Array(Encoding.primitiveHeader(Encoding.LongString)) ++ little(length) ++
      Array.fill(length)('t'.toByte)
    val header = Array(Encoding.objectHeader(true, 1, 4)) ++ little(fields) ++ new Array[Byte](fields)
    Z85.encode(metadata ++ header ++ little(Seq.fill(fields)(0) :+ text.length: _*) ++ text)
  }

  test("bounds whose fields share a key or a text are no bounds, and take no time") {
    assertEquals(VariantBounds.decode(sharing(1, 300)).size, 1)
    assertEquals(VariantBounds.decode(sharing(3, 300)), Map.empty[String, VariantBound])
    assertEquals(VariantBounds.decode(sharing(1000000, 1000000)), Map.empty[String, VariantBound])
  }

  property("decoding never throws") {
    val alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
    forAll(Gen.listOf(Gen.oneOf(alphabet.toSeq)).map(_.mkString)) { text => VariantBounds.decode(text); true }
  }
}
