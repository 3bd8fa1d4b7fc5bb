/** A damaged file is read or refused with an error of this data source, and never causes another exception. */
package shreddedvariant.parquet.file

import java.nio.file.Files

import scala.util.Random

import shreddedvariant.{Fuzz, ShreddedVariantException, Value, VariantFile}
import shreddedvariant.layout.{ShapeParser, WriteLayout}
import shreddedvariant.parquet.vector.VariantLimits

class DamagedFileSuite extends shreddedvariant.Suite {
  private val shape =
    ShapeParser.parse("a BIGINT, b STRUCT<c STRING, d ARRAY<STRUCT<e DOUBLE>>>, f DECIMAL(20,2)")

  private val rows = (0 until 200).map { i =>
    Value.encode(Value.Obj(Map(
      "a" -> (if (i % 7 == 0) Value.Text("x") else Value.Integer(i.toLong, 2)),
      "b" -> Value.Obj(Map(
        "c" -> Value.Text("y" * (i % 9)),
        "d" -> Value.Arr(Seq.fill(i % 3)(Value.Obj(Map("e" -> Value.Null))))
      )),
      "f" -> Value.Dec(java.math.BigInteger.valueOf(i.toLong), 2, 4),
      s"k${i % 5}" -> Value.Arr(Seq(Value.Bool(true)))
    )))
  }

  private def intact(layout: WriteLayout): Array[Byte] = VariantFile.withFile { file =>
    VariantFile.write(file, rows, shape, layout = layout)
    Files.readAllBytes(file)
  }

  /** Reads all values; an exception of another type fails the test. */
  private def readOrRefuse(bytes: Array[Byte], what: => String): Boolean = VariantFile.withFile { file =>
    Files.write(file, bytes)
    try {
      VariantFile.read(file, VariantLimits(1000, 1 << 20))
      true
    } catch {
      case _: ShreddedVariantException => false
      case e: Throwable => fail(s"$what: $e", e)
    }
  }

  private val tries = if (Fuzz.isLong) 10000 else 150

  for ((name, layout) <- WriteLayout.all) {
    test(s"flipped bits are read or refused ($name)".tag(Fuzz)) {
      val random = new Random(7)
      val bytes = intact(layout)
      var refused = 0
      for (i <- 0 until tries) {
        val damaged = bytes.clone
        val offsets = Seq.fill(1 + random.nextInt(3))(random.nextInt(bytes.length))
        offsets.foreach(offset => damaged(offset) = (damaged(offset) ^ (1 << random.nextInt(8))).toByte)
        if (!readOrRefuse(damaged, s"try $i, bytes $offsets")) refused += 1
      }
      assert(refused > tries / 10 && refused < tries - tries / 10, s"$refused of $tries are refused")
    }

    test(s"a file that is truncated anywhere is refused ($name)") {
      val bytes = intact(layout)
      for (end <- 0 until bytes.length by math.max(1, bytes.length / 100))
        assert(!readOrRefuse(bytes.take(end), s"the first $end bytes"))
    }

    test(s"malformed values are refused with the name of their column when they are decoded ($name)") {
      for ((what, value) <- malformedValues) VariantFile.withFile { file =>
        val e = intercept[ShreddedVariantException](VariantFile.write(
          file,
          Seq((Array[Byte](1, 0, 0), value)),
          ShapeParser.parse("a INT, b ARRAY<INT>"),
          layout = layout
        ))
        assertEquals(e.condition, "SHREDDED_VARIANT_MALFORMED_VALUE", what)
        assert(e.getMessage.contains("'v'"), e.getMessage)
      }
    }
  }

  private def malformedValues = Seq(
    "an empty value" -> Array[Byte](),
    "an object without its ids" -> Array[Byte](2, 1),
    "an object with a key that is not in the metadata" -> Array[Byte](2, 1, 0, 0, 1, 0),
    "an array whose data ends too early" -> Array[Byte](3, 1, 0, 9, 0)
  )
}
