/** Spark finds every key of an object that it is handed, and so do we in either order; nothing else changes. */
package shreddedvariant.shred

import scala.util.Random

import org.apache.spark.types.variant.{Variant, VariantBuilder}
import shreddedvariant.Value
import shreddedvariant.binary.{Dictionary, ObjectHeader}

class HandedOnSuite extends munit.FunSuite {
  private val random = new Random(7)
  private val handedOn = new HandedOn(1000, asTheyStand = false)
  private val planes = Seq("abcdef", "\uE000\uF8FF\uFF21\uFF5E", "\uD83D\uDE00\uD83D\uDCA9\uDBFF\uDFFD")
  private val letters = planes.flatMap(plane => plane.codePoints.toArray.map(Character.toString(_)))

  private def keys(size: Int): Seq[String] =
    Iterator.continually(
      Seq.fill(1 + random.nextInt(4))(letters(random.nextInt(letters.size))).mkString
    ).distinct
      .take(size).toSeq

  private def objectOf(keys: Seq[String]): Value.Obj =
    Value.Obj(keys.map(_ -> Value.Integer(random.nextInt(100).toLong, 1)).toMap)

  private def found(value: Array[Byte], metadata: Array[Byte], at: Int, key: String): Int =
    new Dictionary(metadata).find(new ObjectHeader(value, at), key.getBytes("UTF-8"))

  for (size <- 1 to 100) test(s"an object of $size fields") {
    val names = keys(size)
    val inner = objectOf(names)
    val value =
      Value.Obj(Map("o" -> Value.Arr(Seq(inner, Value.Null)), names.head -> Value.Text("x")) ++ inner.fields)
    val (metadata, stored) = Value.encode(value, random.shuffle(_))
    val before = stored.clone
    val handed = handedOn.value(stored, metadata)
    assertEquals(stored.toSeq, before.toSeq)

    // What Spark makes of the same text has its order.
    val json = new Variant(stored, metadata).toJson(java.time.ZoneOffset.UTC)
    val spark = VariantBuilder.parseJson(json, false)
    def keysOf(variant: Variant) = (0 until variant.objectSize).map(variant.getFieldAtIndex(_).key)
    val whole = new Variant(handed, metadata)
    assertEquals(keysOf(whole).toSet, keysOf(spark).toSet)
    if (whole.objectSize >= ObjectHeader.Large) assertEquals(keysOf(whole), keysOf(spark))
    val within = whole.getFieldByKey("o").getElementAtIndex(0)
    for (key <- names) {
      val wanted = inner.fields(key).asInstanceOf[Value.Integer].value
      assertEquals(within.getFieldByKey(key).getLong, wanted)
      assertEquals(whole.getFieldByKey(key).toJson(java.time.ZoneOffset.UTC), wanted.toString)
      for (bytes <- Seq(stored, handed)) assert(found(bytes, metadata, 0, key) > 0)
    }
    for (other <- keys(20).diff(names) if other != "o"; bytes <- Seq(stored, handed)) {
      assertEquals(found(bytes, metadata, 0, other), -1)
      assertEquals(whole.getFieldByKey(other), null)
    }
  }
}
