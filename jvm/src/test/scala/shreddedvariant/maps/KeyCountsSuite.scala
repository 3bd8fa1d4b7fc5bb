/** Hot keys are those that hold most bytes among the frequent ones, in whatever order the rows come. */
package shreddedvariant.maps

import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData, MapData}
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.ShreddedVariantException

class KeyCountsSuite extends munit.FunSuite {
  private def text(value: String) = if (value == null) null else UTF8String.fromString(value)

  private def data(entries: Seq[(String, String)]): MapData = new ArrayBasedMapData(
    new GenericArrayData(entries.map(e => text(e._1)).toArray[Any]),
    new GenericArrayData(entries.map(e => text(e._2)).toArray[Any])
  )

  private def counted(rows: Seq[Seq[(String, String)]], counts: KeyCounts = new KeyCounts) = {
    rows.foreach(row => counts.add(data(row), StringType))
    counts
  }

  private def chooses(what: String, rows: Seq[Seq[(String, String)]], limits: KeyLimits, hot: String*)(
      implicit loc: munit.Location
  ): Unit = test(what) {
    for (order <- Seq(rows, rows.reverse, new scala.util.Random(1).shuffle(rows))) {
      assertEquals(counted(order).hot(limits), hot)
      // Also in parts, which are merged.
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

  chooses("most bytes first, and none below the floor", rows, KeyLimits(), "long", "always", "two")
  chooses("exactly the floor stays", rows, KeyLimits(minFrequency = 0.25), "long", "always")
  chooses("no more than asked for", rows, KeyLimits(maxKeys = 1), "long")
  chooses(
    "keys that are always hot come first and count",
    rows,
    KeyLimits(Seq("c", "long"), 3),
    "c",
    "long",
    "always"
  )
  chooses("a floor of nothing takes all that have a value", rows, KeyLimits(Nil, 2, 0), "one", "long")
  chooses("equal ones go by name", Seq(Seq("b" -> "1", "a" -> "1", "é" -> "")), KeyLimits(), "a", "b", "é")
  chooses("no rows choose nothing", Nil, KeyLimits())

  test("counts come back from their bytes, and equal counts have equal bytes") {
    val counts = counted(rows)
    val bytes = counts.toBytes.toSeq
    assertEquals(counted(rows.reverse).toBytes.toSeq, bytes)
    val back = KeyCounts.fromBytes(bytes.toArray)
    assertEquals((back.maps, back.toBytes.toSeq), (20L, bytes))
    back.merge(back)
    assertEquals((back.maps, back.hot(KeyLimits())), (40L, counts.hot(KeyLimits())))
    assertEquals(KeyCounts.fromBytes(new KeyCounts().toBytes).hot(KeyLimits()), Nil)
  }

  test("a file remembers those that may be hot, and of others some") {
    val wide = (0 until 30).map { i =>
      Seq("often" -> "x") ++ (0 until 100).map(k => s"rare${100 * i + k}" -> "y" * 1000) ++ (0 until 9).map(
        k =>
          s"some$k" -> "z" * (k + 1)
      ).filter(_ => i % 5 == 0)
    }
    val few = counted(wide).nearest(KeyLimits(), 1 << 20)
    val read = KeyCounts.fromBytes(few.toBytes)
    assertEquals(read.hot(KeyLimits()), counted(wide).hot(KeyLimits()))
    assert(few.toBytes.length < counted(wide).toBytes.length / 2)
    assertEquals(counted(rows).nearest(KeyLimits(), 1 << 20).toBytes.toSeq, counted(rows).toBytes.toSeq)
  }

  test("of too many keys those stay that people gave, exactly, in any order and however the rows are split") {
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

  test("beyond 200,000 keys the order of rows does not show either") {
    // Many keys come twice: those that came once until a cut were the first to go when counts decided.
    val many = (0 until 60000).map(i => (0 until 4).map(k => s"k${(i * 4 + k) % 220000}" -> "y"))
    val (forth, back) = (counted(many), counted(many.reverse))
    assert(forth.isCut)
    assertEquals(forth.toBytes.toSeq, back.toBytes.toSeq)
    val limits = KeyLimits(minFrequency = 0)
    assertEquals(forth.hot(limits), back.hot(limits))
  }

  test("exactly the floor stays, and one map less does not, at every hundredth") {
    for (percent <- 1 to 100) {
      val limits = KeyLimits(minFrequency = (percent / 100.0).toString.toDouble)
      def hot(maps: Int) =
        counted((0 until 100).map(i => if (i < maps) Seq("a" -> "x") else Nil)).hot(limits)
      assertEquals(hot(percent), Seq("a"), s"$percent %")
      assertEquals(hot(percent - 1), Nil, s"$percent %")
    }
  }

  test("what a footer keeps fits into its place") {
    val wide = Seq((0 until 900).map(k => f"$k%04d" + "k" * 1000 -> "v"))
    val few = counted(wide).nearest(KeyLimits(), 100000)
    assert(few.toBytes.length <= 100000 && few.toBytes.length > 90000, s"${few.toBytes.length}")
    assertEquals(few.maps, 1L)
  }

  test("keys that are too long for a footer are not hot") {
    val keys = Seq(KeyCounts.MaxKeyBytes, KeyCounts.MaxKeyBytes + 1).map("k" * _)
    assertEquals(counted(Seq(keys.map(_ -> "v"))).hot(KeyLimits()), keys.take(1))
  }

  // bytes -> why they are no counts
  private val good = counted(Seq(Seq("a" -> "1", "b" -> "2"))).toBytes
  private val damaged: Seq[(Array[Byte], String)] = Seq(
    Array[Byte]() -> "end too early",
    Array[Byte](3) -> "another version",
    good.dropRight(1) -> "end too early",
    (good :+ 0.toByte) -> "follow their end",
    good.updated(4, 'c'.toByte) -> "out of order",
    good.updated(5, 0.toByte) -> "a count is 0",
    Array[Byte](1, 1, -1, -1, -1, -1, 1) -> "too many keys",
    Array[Byte](2, 1, 1, 1, 1, 'a'.toByte, 1, 1) -> "left out",
    Array[Byte](1, 1, 1, -1, -1, 127) -> "too long",
    Array[Byte](1, 1, 1, 9) -> "end too early",
    Array.fill[Byte](12)(-1).updated(0, 1.toByte) -> "too large"
  )

  for (((bytes, reason), i) <- damaged.zipWithIndex) test(s"damaged counts are refused: $reason ($i)") {
    val e = intercept[ShreddedVariantException](KeyCounts.fromBytes(bytes))
    assert(e.getMessage.contains(reason), e.getMessage)
  }
}
