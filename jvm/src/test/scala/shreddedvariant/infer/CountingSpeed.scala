/**
 * Measures the cost of counting: `sbt "Test/runMain shreddedvariant.infer.CountingSpeed"` prints nanoseconds of
 * CPU per event.
 */
package shreddedvariant.infer

import scala.util.Random

import org.apache.spark.types.variant.VariantBuilder

object CountingSpeed {
  private val threads = java.lang.management.ManagementFactory.getThreadMXBean
  private val random = new Random(1)

  /**
   * An event of about ten fields and some of `optional` more fields; each selection of these has its own
   * dictionary.
   */
  private def event(i: Int, optional: Int): (Array[Byte], Array[Byte]) = {
    val extra = (0 until optional).filter(_ => random.nextBoolean()).map(n => s""""extra$n":$n,""").mkString
    val variant = VariantBuilder.parseJson(
      s"""{"id":$i,"time":${1700000000000L + i},"type":"type${i % 7}","user":{"id":${i % 1000},"name":"user$i"},$extra
         |"price":${i / 100}.${i % 100},"ok":${i % 2 == 0},"score":1.5e300,"tags":["a","b"]}""".stripMargin,
      false
    )
    (variant.getMetadata, variant.getValue)
  }

  def main(args: Array[String]): Unit =
    for ((title, optional) <- Seq("one dictionary" -> 0, "32 dictionaries" -> 5, "1024 dictionaries" -> 10)) {
      val events = Array.tabulate(20000)(event(_, optional))
      val rounds = for (_ <- 0 until 15) yield {
        val counts = new Counts
        val start = threads.getCurrentThreadCpuTime
        for (_ <- 0 until 20) {
          var i = 0
          while (i < events.length) {
            counts.add(events(i)._1, events(i)._2)
            i += 1
          }
        }
        (threads.getCurrentThreadCpuTime - start) / 20.0 / events.length
      }
      println(f"$title: ${rounds.min}%.0f ns an event")
    }
}
