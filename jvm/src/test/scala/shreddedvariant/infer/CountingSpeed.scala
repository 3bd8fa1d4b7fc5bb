/** What counting costs: `sbt "Test/runMain shreddedvariant.infer.CountingSpeed"` prints nanoseconds an event. */
package shreddedvariant.infer

import scala.util.Random

import shreddedvariant.Value
import shreddedvariant.Value._

object CountingSpeed {
  private val random = new Random(1)

  private def event(i: Int): Value = Obj(
    Map(
      "id" -> Integer(i.toLong, 4),
      "time" -> Integer(1700000000000L + i, 8),
      "type" -> Text(s"type${i % 7}"),
      "user" -> Obj(Map("id" -> Integer((i % 1000).toLong, 2), "name" -> Text(s"user$i"))),
      "price" -> Dec(java.math.BigInteger.valueOf(i.toLong), 2, 4),
      "ok" -> Bool(i % 2 == 0),
      "score" -> Fixed(7, Seq.fill(8)(1.toByte)),
      "tags" -> Arr(Seq(Text("a"), Text("b")))
    ) ++ (0 until 5).filter(_ => random.nextBoolean()).map(n => s"extra$n" -> Null)
  )

  def main(args: Array[String]): Unit = {
    val events = Seq.tabulate(20000)(i => Value.encode(event(i)))
    val all = events.toArray
    for ((what, rows) <- Seq("dictionaries that vary" -> all))
      for (_ <- 0 until 12) {
        val counts = new Counts
        val start = System.nanoTime
        for (_ <- 0 until 20) {
          var i = 0
          while (i < rows.length) {
            counts.add(rows(i)._1, rows(i)._2)
            i += 1
          }
        }
        println(
          f"$what: ${(System.nanoTime - start) / 20.0 / rows.length}%.0f ns an event, ${counts.toBytes.length} bytes"
        )
      }
  }
}
