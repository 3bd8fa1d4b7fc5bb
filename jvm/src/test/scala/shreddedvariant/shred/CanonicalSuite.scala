/** The order check and the copy take time in proportion to the bytes of a value, even for malformed values. */
package shreddedvariant.shred

import org.scalacheck.Gen
import org.scalacheck.Prop.forAllNoShrink
import shreddedvariant.Value
import shreddedvariant.binary.{Budget, Dictionary, Encoding, MalformedVariant}

class CanonicalSuite extends shreddedvariant.LawSuite {
  private val dictionary = new Dictionary(
    Array[Byte](1, 2, 0, 1, 5, 'a') ++ "\uD83D\uDE00".getBytes("UTF-8")
  )

  private def nested(levels: Int, fields: Int): Array[Byte] =
    (0 until levels).foldLeft(Array[Byte](0)) { (inner, _) =>
      val offsets =
        (Seq.fill(fields)(0) :+ inner.length).flatMap(o => Seq.tabulate(4)(i => (o >>> 8 * i).toByte))
      Array[Byte](2 | 3 << 2, fields.toByte) ++ Seq.tabulate(fields)(_.toByte) ++ offsets ++ inner
    }

  private def copied(bytes: Array[Byte]): Array[Byte] = {
    val out = new Bytes(16)
    Canonical.copy(dictionary, bytes, 0, out, new Budget(bytes.length))
    out.slice(0, out.length)
  }

  test("fields that share their value are refused, because visiting each would take 2^27 steps") {
    val bytes = nested(27, 2)
    assert(bytes.length < 500)
    val refusals = Seq[() => Any](() => Canonical.isOrdered(dictionary, bytes, 0), () => copied(bytes))
    for (refused <- refusals)
      assertEquals(intercept[MalformedVariant](refused()).reason, "its parts overlap or end too early")
  }

  test("a value after the end of its object is not followed") {
    // The object says that it has no data, but the value of its field is the list after the object.
    val obj = Array[Byte](2, 1, 0, 1, 0)
    val list = Array[Byte](3 | 1 << 2 | 1 << 4, 0x10, 0x27, 0, 0) ++ new Array[Byte](2 * 10001 + 1)
    val bytes = obj ++ new Array[Byte](1) ++ list
    intercept[MalformedVariant](Canonical.isOrdered(dictionary, bytes, 0))
  }

  test("nesting is followed up to the maximum depth, and refused beyond it") {
    val (deepest, deeper) = (nested(Encoding.MaxDepth + 1, 1), nested(Encoding.MaxDepth + 2, 1))
    assert(Canonical.isOrdered(dictionary, deepest, 0))
    assertEquals(Encoding.sizeOf(copied(deepest), 0), copied(deepest).length)
    for (refused <- Seq[() => Any](() => Canonical.isOrdered(dictionary, deeper, 0), () => copied(deeper)))
      assertEquals(intercept[MalformedVariant](refused()).reason, "it is nested deeper than 1000")
  }

  property("a copy is in order and has the same value") {
    forAllNoShrink(Value.values(4), Gen.long) { (value, seed) =>
      val (metadata, bytes) = Value.encode(value, keys => new scala.util.Random(seed).shuffle(keys))
      val out = new Bytes(16)
      Canonical.copy(new Dictionary(metadata), bytes, 0, out, new Budget(bytes.length))
      Value.decode(metadata, out.slice(0, out.length)) == value
    }
  }
}
