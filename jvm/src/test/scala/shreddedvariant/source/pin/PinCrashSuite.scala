/**
 * A writer of pins that is killed (kill -9) at any moment leaves the old pins or the new pins, on a local disk
 * and on another file system. `make test` kills a few writers, FUZZ=1 many.
 */
package shreddedvariant.source.pin

import java.nio.file.{Files, Path}
import java.util.concurrent.{Callable, CyclicBarrier, Executors, TimeUnit}

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.logging.log4j.Level
import org.apache.logging.log4j.core.config.Configurator
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager
import shreddedvariant.{Fuzz, Options, ShreddedVariantException}
import shreddedvariant.layout.ShapeParser

class PinCrashSuite extends shreddedvariant.Suite {
  import PinCrashSuite._

  /** Turns off the log messages of Spark and Hadoop for each file. */
  override def beforeAll(): Unit = {
    CheckpointFileManager.create(new HadoopPath("file:///"), new Configuration)
    Configurator.setAllLevels("", Level.OFF)
  }

  private val folder = FunFixture[Path](_ => Files.createTempDirectory("crash"), _ => ())

  private val places = Seq(
    ("a local disk", "file", new Configuration),
    ("another file system", "other", OtherFileSystem.conf(hasContext = true))
  )

  for ((place, scheme, conf) <- places)
    folder.test(s"killed at many moments, on $place".tag(Fuzz)) { dir =>
      val random = new Random(7)
      var (created, added) = (0, 0)
      for (moment <- 0 until (if (Fuzz.isLong) 100 else 6)) {
        val table = Files.createDirectories(dir.resolve(moment.toString))
        val writer = start(scheme, table)
        // A new JVM starts slowly: the kill is at a random moment after the first table.
        while (table.toFile.list.length < 2 && writer.isAlive) Thread.sleep(2)
        Thread.sleep(random.nextInt(300).toLong)
        assert(writer.isAlive, "the writer has ended by itself")
        writer.destroyForcibly().waitFor(10, TimeUnit.SECONDS)
        for (i <- table.toFile.list.indices) {
          val store = new PinStore(new HadoopPath(s"$scheme://${table.resolve(i.toString)}"), conf, allowed)
          // The pins of each round are added in this order, one by one.
          val count = store.read().fold(0)(pins => rounds.indexWhere(_ == pins) + 1)
          assert(count > 0 || store.read().isEmpty, s"${store.read()}")
          created += 1
          added += math.max(count - 1, 0)
          assertEquals(addAfterCrash(store, table.resolve(i.toString), rounds.last), rounds.last)
        }
      }
      assert(created > 0 && added > created, s"$created, $added")
    }

  /** Adds pins after the crash, with an expired lease of the killed writer. */
  private def addAfterCrash(store: PinStore, table: Path, pins: Pins): Pins = {
    val lease = table.resolve("_shredding/.shapes.json.lock")
    if (Files.exists(lease))
      Files.setLastModifiedTime(
        lease,
        java.nio.file.attribute.FileTime.fromMillis(System.currentTimeMillis - 2 * PinLease.Expires)
      )
    store.add(pins)
  }

  for (hasContext <- Seq(true, false)) {
    val kind = if (hasContext) "that replaces files" else "that replaces no files"
    def store(dir: Path) =
      new PinStore(new HadoopPath(s"other://$dir"), OtherFileSystem.conf(hasContext), allowed)

    folder.test(s"on another file system $kind the first creation wins, and readers see complete files") {
      dir =>
        val pool = Executors.newFixedThreadPool(4)
        try for (round <- 0 until 10) {
            val table = dir.resolve(round.toString)
            val start = new CyclicBarrier(4)
            val tasks = (0 until 4).map(i =>
              new Callable[Pins] {
                def call(): Pins = { start.await(); store(table).add(pins("v", s"a$i INT")) }
              }
            )
            val results = pool.invokeAll(tasks.asJava).asScala.toSeq.map(_.get) :+ store(table).read().get
            assertEquals(results.distinct.size, 1)
          }
        finally pool.shutdown()
    }
  }

  folder.test("on another file system writers that add other columns at once lose none") { dir =>
    for (round <- 0 until 20) {
      val table = dir.resolve(round.toString)
      def store =
        new PinStore(new HadoopPath(s"other://$table"), OtherFileSystem.conf(hasContext = true), allowed)
      val pool = Executors.newFixedThreadPool(4)
      try {
        val tasks = (0 until 12).map(i =>
          new Callable[Pins] { def call(): Pins = store.add(pins(s"v$i", s"a$i INT")) }
        )
        pool.invokeAll(tasks.asJava).asScala.foreach(_.get)
      } finally pool.shutdown()
      val all = store.read().get.columns
      assertEquals(all.keySet, (0 until 12).map(i => Seq(s"v$i")).toSet)
      assert(!Files.exists(table.resolve("_shredding/.shapes.json.lock")))
    }
  }

  folder.test("a file system that reports a replacement but keeps the old file is refused") { dir =>
    def store =
      new PinStore(new HadoopPath(s"other://$dir"), OtherFileSystem.conf(hasContext = false), allowed)
    store.add(pins("v", "a INT"))
    val e = intercept[ShreddedVariantException](store.add(pins("w", "b INT")))
    assertEquals(e.condition, "SHREDDED_VARIANT_PINNED_SHAPES")
    assert(e.getMessage.contains("it cannot be replaced"), e.getMessage)
    assertEquals(store.read(), Some(pins("v", "a INT")))
  }

  private def start(scheme: String, table: Path): Process = {
    val java = Path.of(sys.props("java.home"), "bin", "java").toString
    val command = Seq(
      java,
      "-Xshare:auto",
      "-XX:TieredStopAtLevel=1",
      "-cp",
      sys.props("java.class.path"),
      Writer,
      scheme
    )
    new ProcessBuilder((command :+ table.toString).asJava)
      .redirectErrorStream(true).redirectOutput(
        table.resolveSibling(s"${table.getFileName}.log").toFile
      ).start()
  }
}

object PinCrashSuite {
  private val Writer = PinCrashWriter.getClass.getName.stripSuffix("$")

  /** Needed because the scheme of the other file system does not guarantee exclusive creation. */
  private[source] val allowed = Map(Options.SingleDriver -> "true")

  private[source] def pins(column: String, shape: String) =
    Pins(Map(Seq(column) -> Pin(ShapeParser.parse(shape), None)))

  /** The pins of a table after each round; large enough for several write calls. */
  private[source] val rounds: Seq[Pins] = (0 until 6)
    .map(i => pins(s"v$i", (0 until 300).map(f => s"field_$f BIGINT").mkString(", ")))
    .scanLeft(Pins.none)(_.orElse(_)).tail
}

/** Adds pins to one table after the other until it is killed. */
object PinCrashWriter {
  def main(arguments: Array[String]): Unit = {
    val conf = if (arguments(0) == "other") OtherFileSystem.conf(hasContext = true) else new Configuration
    Iterator.from(0).foreach { i =>
      val store =
        new PinStore(new HadoopPath(s"${arguments(0)}://${arguments(1)}/$i"), conf, PinCrashSuite.allowed)
      PinCrashSuite.rounds.foreach(store.add)
    }
  }
}
