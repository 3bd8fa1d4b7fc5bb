/** What is written in the binary encoding reads as what was given, in the narrowest width that fits. */
package shreddedvariant.shred

import java.math.BigInteger

import org.apache.spark.unsafe.types.UTF8String
import org.scalacheck.Gen
import org.scalacheck.Prop.forAllNoShrink
import shreddedvariant.Value

class ValueWriterSuite extends shreddedvariant.LawSuite {
  import ValueWriter._

  /** Writes a value; `reserved` bytes are left free for each header, as a guess of its size. */
  private def put(out: Bytes, value: Value, keys: Map[String, Int], reserved: Int): Unit = value match {
    case Value.Null => variantNull(out)
    case Value.Bool(b) => boolean(out, b)
    case Value.Integer(v, _) => integer(out, v)
    case Value.Dec(unscaled, scale, _) => decimal(out, unscaled.toByteArray, scale)
    case Value.Text(text) => string(out, UTF8String.fromString(text))
    case Value.Bytes(bytes) => binary(out, UTF8String.fromBytes(bytes.toArray))
    case Value.Fixed(20, bytes) => uuid(out, UTF8String.fromBytes(bytes.toArray))
    case Value.Fixed(id, bytes) =>
      number(out, id, new BigInteger(bytes.reverse.toArray).longValue, bytes.size)
    case Value.Arr(elements) =>
      val (start, offsets) = all(out, elements, keys, reserved)
      closeArray(out, start, reserved, elements.size, offsets)
      ()
    case Value.Obj(fields) =>
      val sorted = fields.toSeq.sortWith((a, b) => compare(a._1, b._1) < 0)
      val (start, offsets) = all(out, sorted.map(_._2), keys, reserved)
      closeObject(out, start, reserved, fields.size, sorted.map(field => keys(field._1)).toArray, offsets)
      ()
  }

  private def compare(a: String, b: String) =
    java.util.Arrays.compareUnsigned(a.getBytes("UTF-8"), b.getBytes("UTF-8"))

  private def all(
      out: Bytes,
      values: Seq[Value],
      keys: Map[String, Int],
      reserved: Int
  ): (Int, Array[Int]) = {
    val start = out.length
    out.skip(reserved)
    val offsets = values.map { value =>
      val at = out.length - start - reserved
      put(out, value, keys, reserved)
      at
    }
    (start, offsets.toArray)
  }

  private def written(value: Value, keys: Seq[String], reserved: Int = 0): Value = {
    val out = new Bytes(1)
    put(out, value, keys.zipWithIndex.toMap, reserved)
    val (metadata, _) = Value.encode(Value.Obj(keys.map(_ -> Value.Null).toMap), _ => keys)
    Value.decode(metadata, out.slice(0, out.length))
  }

  property("any value reads as what was written, however many bytes were reserved for headers") {
    forAllNoShrink(Value.values(3), Gen.oneOf(0, 1, 7, 40)) { (value, reserved) =>
      Value.logical(written(value, Value.keys, reserved)) == Value.logical(value)
    }
  }

  private def widthOf(value: Value) = written(value, Nil) match {
    case Value.Integer(_, width) => width
    case Value.Dec(_, _, width) => width
    case other => fail(other.toString)
  }

  test("integers take the narrowest width") {
    for ((width, bits) <- Seq(1 -> 7, 2 -> 15, 4 -> 31, 8 -> 63)) {
      val edge = BigInteger.ONE.shiftLeft(bits)
      for (number <- Seq(edge.subtract(BigInteger.ONE), edge.negate))
        assertEquals(widthOf(Value.Integer(number.longValueExact, 8)), width, number.toString)
    }
  }

  test("decimals take the narrowest width that has their digits and their scale") {
    for (
      (digits, scale, width) <- Seq(
        (1, 0, 4),
        (9, 9, 4),
        (10, 0, 8),
        (9, 10, 8),
        (18, 18, 8),
        (19, 0, 16),
        (1, 19, 16),
        (38, 38, 16)
      );
      number = BigInteger.TEN.pow(digits).subtract(BigInteger.ONE);
      unscaled <- Seq(number, number.negate)
    ) assertEquals(widthOf(Value.Dec(unscaled, scale, 16)), width, s"$unscaled, $scale")
  }

  test("texts of up to 63 bytes have a header of one byte") {
    for (size <- Seq(0, 63, 64, 1000)) {
      val out = new Bytes(1)
      string(out, UTF8String.fromString("x" * size))
      assertEquals(out.length - size, if (size < 64) 1 else 5)
    }
  }

  test("objects and arrays of all widths of sizes, ids and offsets") {
    for (size <- Seq(0, 1, 255, 256, 70000); content <- Seq("", "x" * 60)) {
      val keys = (0 until size).map(i => f"k$i%06d")
      val element = Value.Text(content)
      val obj: Value = Value.Obj(keys.map(_ -> element).toMap)
      assert(written(obj, keys) == obj, s"an object of $size fields")
      val array: Value = Value.Arr(Seq.fill(size)(element))
      assert(written(array, Nil) == array, s"an array of $size elements")
    }
  }

  test("a decimal with more than 38 digits is refused") {
    val large = BigInteger.ONE.shiftLeft(127)
    intercept[shreddedvariant.binary.MalformedVariant](decimal(new Bytes(1), large.toByteArray, 0))
  }
}
