/** The fields of a shape are found among the keys of an object, in any order of its dictionary. */
package shreddedvariant.shred

import scala.util.Random

import org.scalacheck.Gen
import org.scalacheck.Prop.forAllNoShrink
import shreddedvariant.Value
import shreddedvariant.binary._

class FieldLookupSuite extends shreddedvariant.LawSuite {
  private def lookUp(fields: Seq[String], names: Names, of: (Array[Byte], Array[Byte])): ObjectFields =
    new FieldLookup(fields.toArray, names)(
      new ObjectHeader(of._2, 0),
      new ResolvedDictionary(new Dictionary(of._1), names, 0)
    )

  property("each key has its field, and the other fields are missing") {
    forAllNoShrink(Gen.someOf(Value.keys), Gen.someOf(Value.keys), Gen.long) { (keys, fields, seed) =>
      val names = new Names(Value.keys.toIndexedSeq)
      val encoded =
        Value.encode(Value.Obj(keys.map(_ -> Value.Null).toMap), new Random(seed).shuffle(_))
      val found = lookUp(fields.toSeq, names, encoded)
      val sorted = keys.toSeq.sortWith((a, b) =>
        java.util.Arrays.compareUnsigned(a.getBytes("UTF-8"), b.getBytes("UTF-8")) < 0
      )
      found.fields.toSeq == sorted.map(fields.indexOf(_)) &&
      found.missing.map(
        fields(_)
      ).toSet == fields.toSet -- keys && found.others == (keys.toSet -- fields).size
    }
  }

  test("an object that has a field twice is refused, and one that has another key twice is not") {
    val names = new Names(IndexedSeq("a"))
    def twice(id: Int) = Array[Byte](2, 2, id.toByte, id.toByte, 0, 1, 2, 0, 0)
    val metadata = Array[Byte](1, 2, 0, 1, 2, 'a', 'b')
    val refused = intercept[MalformedVariant](lookUp(Seq("a"), names, metadata -> twice(0)))
    assertEquals(refused.reason, "it holds the key 'a' twice")
    assertEquals(lookUp(Seq("a"), names, metadata -> twice(1)).others, 2)
  }
}
