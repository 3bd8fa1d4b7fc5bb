/** A stored value of the draft layout has a dictionary of its own, with its keys and no others. */
package shreddedvariant.shred

import scala.util.Random

import org.scalacheck.Gen
import org.scalacheck.Prop.forAllNoShrink
import shreddedvariant.{Errors, ShreddedVariantException, Value}
import shreddedvariant.binary._

class SelfContainedSuite extends shreddedvariant.LawSuite {
  private val names = new Names(Value.keys.take(4).toIndexedSeq)

  private def keysOf(value: Value): Set[String] = value match {
    case Value.Arr(elements) => elements.flatMap(keysOf).toSet
    case Value.Obj(fields) => fields.keySet ++ fields.values.flatMap(keysOf)
    case _ => Set.empty
  }

  private def resolved(metadata: Array[Byte]) = new ResolvedDictionary(new Dictionary(metadata), names, 0)

  property(
    "a part of a variant is the same value, with exactly its own keys, in any order of the dictionary"
  ) {
    val made = new SelfContained(names)
    forAllNoShrink(Value.values(3), Value.values(2), Gen.long) { (value, other, seed) =>
      // The part has few of the keys of the whole variant.
      val (metadata, bytes) = Value.encode(Value.Arr(Seq(other, value)), new Random(seed).shuffle(_))
      val at = new ArrayHeader(bytes, 0).position(1)
      val out = made.whole(resolved(metadata), bytes, at)
      val whole = out.slice(0, out.length)
      val start = Dictionary.lengthIn(whole)
      val dictionary = new Dictionary(whole.take(start))
      WellFormed.check(whole.take(start), whole.drop(start))
      Value.decode(whole.take(start), whole.drop(start)) == value &&
      (0 until dictionary.size).map(dictionary.key).sorted == keysOf(value).toSeq.sorted
    }
  }

  private val deep = Value.encode(Iterator.iterate[Value](Value.Null)(v => Value.Arr(Seq(v))).drop(20).next())
  private val long = Value.encode(Value.Arr(Seq.fill(20)(Value.Text("x" * 60))))

  private def copy(of: (Array[Byte], Array[Byte]), maxBytes: Int, maxDepth: Int): Unit =
    new RekeyingCopy(
      new JoinedDictionary(names),
      new Bytes(1, maxBytes, throw Errors.tooLarge("v.a", maxBytes)),
      maxDepth
    ).copy(new StoredValue(of._2, 0, resolved(of._1)), 0)

  test("a copy that is too deep or too large is refused") {
    copy(deep, 1000, 20)
    assertEquals(intercept[MalformedVariant](copy(deep, 1000, 19)).reason, "it is nested deeper than 19")
    copy(long, 2000, 20)
    assertEquals(
      intercept[ShreddedVariantException](copy(long, 1000, 20)).condition,
      "SHREDDED_VARIANT_TOO_LARGE"
    )
  }
}
