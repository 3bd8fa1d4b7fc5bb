/** Hot keys are those that hold most bytes among the frequent ones, in whatever order the rows come. */
package shreddedvariant.maps

import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData, MapData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

class KeyCountsSuite extends munit.FunSuite {
  private def text(value: String) = if (value == null) null else UTF8String.fromString(value)

  private def data(entries: Seq[(String, String)]): MapData = new ArrayBasedMapData(
    new GenericArrayData(entries.map(e => text(e._1)).toArray[Any]),
    new GenericArrayData(entries.map(e => text(e._2)).toArray[Any])
  )

  private def chooses(what: String, rows: Seq[Seq[(String, String)]], limits: KeyLimits, hot: String*)(
      implicit loc: munit.Location
  ): Unit = test(what) {
    for (order <- Seq(rows, rows.reverse, new scala.util.Random(1).shuffle(rows))) {
      val counts = new KeyCounts(MapType(StringType, StringType))
      order.foreach(row => counts.add(data(row)))
      assertEquals(counts.hot(limits), hot)
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
}
