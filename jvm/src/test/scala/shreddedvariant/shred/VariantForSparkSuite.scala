/** Spark finds every key of an object that is passed to it, and our search finds every key in both orders. */
package shreddedvariant.shred

import scala.util.Random

import org.apache.spark.types.variant.{Variant, VariantBuilder}
import shreddedvariant.Value
import shreddedvariant.binary.{Dictionary, ObjectHeader}

class VariantForSparkSuite extends shreddedvariant.Suite {
  private val random = new Random(7)
  private val forSpark = new VariantForSpark(1000, unchanged = false)
  private val planes = Seq("abcdef", "\uE000\uF8FF\uFF21\uFF5E", "\uD83D\uDE00\uD83D\uDCA9\uDBFF\uDFFD")
  private val letters = planes.flatMap(plane => plane.codePoints.toArray.map(Character.toString(_)))

  private def keys(size: Int): Seq[String] =
    Iterator.continually(
      Seq.fill(1 + random.nextInt(4))(letters(random.nextInt(letters.size))).mkString
    ).distinct
      .take(size).toSeq

  private def objectOf(keys: Seq[String]): Value.Obj =
    Value.Obj(keys.map(_ -> Value.Integer(random.nextInt(100).toLong, 1)).toMap)

  private def position(value: Array[Byte], metadata: Array[Byte], at: Int, key: String): Int =
    new Dictionary(metadata).find(new ObjectHeader(value, at), key.getBytes("UTF-8"))

  for (size <- 1 to 100) test(s"an object of $size fields") {
    val names = keys(size)
    val inner = objectOf(names)
    val value =
      Value.Obj(Map("o" -> Value.Arr(Seq(inner, Value.Null)), names.head -> Value.Text("x")) ++ inner.fields)
    val (metadata, stored) = Value.encode(value, random.shuffle(_))
    val original = stored.clone
    val passed = forSpark.value(stored, metadata)
    assertEquals(stored.toSeq, original.toSeq)

    // Spark's parser gives the keys in Spark's order.
    val json = new Variant(stored, metadata).toJson(java.time.ZoneOffset.UTC)
    val spark = VariantBuilder.parseJson(json, false)
    def keysOf(variant: Variant) = (0 until variant.objectSize).map(variant.getFieldAtIndex(_).key)
    val whole = new Variant(passed, metadata)
    assertEquals(keysOf(whole).toSet, keysOf(spark).toSet)
    if (whole.objectSize >= ObjectHeader.Large) assertEquals(keysOf(whole), keysOf(spark))
    val element = whole.getFieldByKey("o").getElementAtIndex(0)
    for (key <- names) {
      val expected = inner.fields(key).asInstanceOf[Value.Integer].value
      assertEquals(element.getFieldByKey(key).getLong, expected)
      assertEquals(whole.getFieldByKey(key).toJson(java.time.ZoneOffset.UTC), expected.toString)
      for (bytes <- Seq(stored, passed)) assert(position(bytes, metadata, 0, key) > 0)
    }
    for (other <- keys(20).diff(names) if other != "o"; bytes <- Seq(stored, passed)) {
      assertEquals(position(bytes, metadata, 0, other), -1)
      assertEquals(whole.getFieldByKey(other), null)
    }
  }
}
