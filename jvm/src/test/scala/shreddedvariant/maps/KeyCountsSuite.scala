/** Hot keys are the frequent keys with the most bytes, for any order of the rows. */
package shreddedvariant.maps

import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData, MapData}
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.ShreddedVariantException

class KeyCountsSuite extends shreddedvariant.Suite {
  private def text(value: String) = if (value == null) null else UTF8String.fromString(value)

  private def data(entries: Seq[(String, String)]): MapData = new ArrayBasedMapData(
    new GenericArrayData(entries.map(e => text(e._1)).toArray[Any]),
    new GenericArrayData(entries.map(e => text(e._2)).toArray[Any])
  )

  private def counted(rows: Seq[Seq[(String, String)]], counts: KeyCounts = new KeyCounts) = {
    rows.foreach(row => counts.add(data(row), StringType))
    counts
  }

  private def chooses(title: String, rows: Seq[Seq[(String, String)]], limits: KeyLimits, hot: String*)(
      implicit loc: munit.Location
  ): Unit = test(title) {
    for (order <- Seq(rows, rows.reverse, new scala.util.Random(1).shuffle(rows))) {
      assertEquals(counted(order).hot(limits), hot)
      // The same for parts that are merged.
      val parts = order.grouped(3).map(counted(_)).toSeq
      parts.reverse.reduceOption { (a, b) => a.merge(b); a }.foreach(sum =>
        assertEquals(sum.hot(limits), hot)
      )
    }
  }

  private val rows = (0 until 20).map { i =>
    Seq("always" -> "x") ++ Seq("long" -> "y" * 50).filter(_ => i % 4 == 0) ++
      Seq("two" -> "z").filter(_ => i < 2) ++ Seq("one" -> "z" * 1000).filter(_ => i == 7) ++
      Seq("null" -> null) ++ Seq(s"k$i" -> "unique")
  }

  chooses(
    "keys with most bytes come first, and no key is below the minimum frequency",
    rows,
    KeyLimits(),
    "long",
    "always",
    "two"
  )
  chooses(
    "a key with exactly the minimum frequency is hot",
    rows,
    KeyLimits(minFrequency = 0.25),
    "long",
    "always"
  )
  chooses("there are at most maxKeys hot keys", rows, KeyLimits(maxKeys = 1), "long")
  chooses(
    "keys that are always hot come first and count",
    rows,
    KeyLimits(Seq("c", "long"), 3),
    "c",
    "long",
    "always"
  )
  chooses(
    "with a minimum frequency of 0, every key with a value is eligible",
    rows,
    KeyLimits(Nil, 2, 0),
    "one",
    "long"
  )
  chooses(
    "ties are in the order of names",
    Seq(Seq("b" -> "1", "a" -> "1", "é" -> "")),
    KeyLimits(),
    "a",
    "b",
    "é"
  )
  chooses("without rows no key is hot", Nil, KeyLimits())

  test("counts are restored from their bytes, and equal counts have equal bytes") {
    val counts = counted(rows)
    val bytes = counts.toBytes.toSeq
    assertEquals(counted(rows.reverse).toBytes.toSeq, bytes)
    val restored = KeyCounts.fromBytes(bytes.toArray)
    assertEquals((restored.maps, restored.toBytes.toSeq), (20L, bytes))
    restored.merge(restored)
    assertEquals((restored.maps, restored.hot(KeyLimits())), (40L, counts.hot(KeyLimits())))
    assertEquals(KeyCounts.fromBytes(new KeyCounts().toBytes).hot(KeyLimits()), Nil)
  }

  test("a footer has the counts of all keys that may be hot, and of some other keys") {
    val wide = (0 until 30).map { i =>
      Seq("often" -> "x") ++ (0 until 100).map(k => s"rare${100 * i + k}" -> "y" * 1000) ++ (0 until 9).map(
        k =>
          s"some$k" -> "z" * (k + 1)
      ).filter(_ => i % 5 == 0)
    }
    val selected = counted(wide).nearest(KeyLimits(), 1 << 20)
    val read = KeyCounts.fromBytes(selected.toBytes)
    assertEquals(read.hot(KeyLimits()), counted(wide).hot(KeyLimits()))
    assert(selected.toBytes.length < counted(wide).toBytes.length / 2)
    assertEquals(counted(rows).nearest(KeyLimits(), 1 << 20).toBytes.toSeq, counted(rows).toBytes.toSeq)
  }

  test("of too many keys, keys without digits stay with exact counts, for any order and split of rows") {
    val many = (0 until 2000).map(i =>
      Seq(s"id$i" -> "x" * 99, s"other${i * 7}" -> "y") ++ Seq("hot" -> "z").filter(_ => i % 9 == 8)
    )
    val bytes = for (order <- Seq(many, many.reverse, new scala.util.Random(1).shuffle(many))) yield {
      val whole = counted(order, KeyCounts.limitedTo(50))
      assert(whole.isCut)
      assertEquals(whole.hot(KeyLimits()), Seq("hot"))
      val parts = order.grouped(100).map(counted(_, KeyCounts.limitedTo(50))).toSeq
      parts.tail.foreach(parts.head.merge(_))
      assertEquals(parts.head.toBytes.toSeq, whole.toBytes.toSeq)
      assertEquals(KeyCounts.fromBytes(whole.toBytes).toBytes.toSeq, whole.toBytes.toSeq)
      assert(KeyCounts.fromBytes(whole.toBytes).isCut)
      whole.toBytes.toSeq
    }
    assertEquals(bytes.distinct.size, 1)
    assert(!counted(many).isCut)
  }

  test("also above 200,000 keys the result does not depend on the order of rows") {
    // Many keys occur twice: a limit by counts would first drop keys that occurred once before a cut.
    val many = (0 until 60000).map(i => (0 until 4).map(k => s"k${(i * 4 + k) % 220000}" -> "y"))
    val (forward, backward) = (counted(many), counted(many.reverse))
    assert(forward.isCut)
    assertEquals(forward.toBytes.toSeq, backward.toBytes.toSeq)
    val limits = KeyLimits(minFrequency = 0)
    assertEquals(forward.hot(limits), backward.hot(limits))
  }

  test("a key with exactly the minimum frequency is hot, and with one map less is not, at every hundredth") {
    for (percent <- 1 to 100) {
      val limits = KeyLimits(minFrequency = (percent / 100.0).toString.toDouble)
      def hot(maps: Int) =
        counted((0 until 100).map(i => if (i < maps) Seq("a" -> "x") else Nil)).hot(limits)
      assertEquals(hot(percent), Seq("a"), s"$percent %")
      assertEquals(hot(percent - 1), Nil, s"$percent %")
    }
  }

  test("the counts in a footer have at most the given size") {
    val wide = Seq((0 until 900).map(k => f"$k%04d" + "k" * 1000 -> "v"))
    val selected = counted(wide).nearest(KeyLimits(), 100000)
    assert(
      selected.toBytes.length <= 100000 && selected.toBytes.length > 90000,
      s"${selected.toBytes.length}"
    )
    assertEquals(selected.maps, 1L)
  }

  test("keys that are too long for a footer are not hot") {
    val keys = Seq(KeyCounts.MaxKeyBytes, KeyCounts.MaxKeyBytes + 1).map("k" * _)
    assertEquals(counted(Seq(keys.map(_ -> "v"))).hot(KeyLimits()), keys.take(1))
  }

  // bytes -> why they are refused
  private val good = counted(Seq(Seq("a" -> "1", "b" -> "2"))).toBytes
  private val damaged: Seq[(Array[Byte], String)] = Seq(
    Array[Byte]() -> "end too early",
    Array[Byte](3) -> "another version",
    good.dropRight(1) -> "end too early",
    (good :+ 0.toByte) -> "follow their end",
    good.updated(4, 'c'.toByte) -> "out of order",
    good.updated(5, 0.toByte) -> "a count is 0",
    Array[Byte](1, 1, -1, -1, -1, -1, 1) -> "too many keys",
    Array[Byte](2, 1, 1, 1, 1, 'a'.toByte, 1, 1) -> "beyond their limit",
    Array[Byte](1, 1, 1, -1, -1, 127) -> "too long",
    Array[Byte](1, 1, 1, 9) -> "end too early",
    Array.fill[Byte](12)(-1).updated(0, 1.toByte) -> "too large"
  )

  for (((bytes, reason), i) <- damaged.zipWithIndex) test(s"damaged counts are refused: $reason ($i)") {
    val e = intercept[ShreddedVariantException](KeyCounts.fromBytes(bytes))
    assert(e.getMessage.contains(reason), e.getMessage)
  }

  test("sums of counts of any size are never negative") {
    val key = UTF8String.fromString("a")
    val most = Long.MaxValue
    val counts =
      KeyCounts.fromBytes(KeyCountsFormat.write(
        most,
        KeyLimiter.Unlimited,
        Seq(key -> new KeyCount(most, most))
      ))
    counts.merge(counts)
    assertEquals(counts.maps, most)
    assertEquals(counts.hot(KeyLimits()), Seq("a"))
    assertEquals(KeyCounts.fromBytes(counts.toBytes).maps, most)
  }
}
