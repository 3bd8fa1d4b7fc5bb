/** The file of a table's pins: what it says, that people may edit it, and that the first writer wins. */
package shreddedvariant.source

import java.nio.file.{Files, Path}
import java.util.concurrent.{Callable, CyclicBarrier, Executors}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import shreddedvariant.ShreddedVariantException
import shreddedvariant.layout.{Shape, ShapeParser}

class PinStoreSuite extends munit.FunSuite {
  private val folder = FunFixture[Path](_ => Files.createTempDirectory("pins"), _ => ())

  private def store(at: Path) = new PinStore(new HadoopPath(at.toUri), new Configuration)
  private def pins(column: String, shape: String, rows: Option[Long] = None) =
    Pins(Map(Seq(column) -> Pin(ShapeParser.parse(shape), rows)))
  private def files(at: Path) = {
    val walk = Files.walk(at)
    try walk.iterator.asScala.filter(Files.isRegularFile(_)).map(at.relativize(_).toString).toSet
    finally walk.close()
  }

  folder.test("what is put there is read back") { at =>
    val odd = Pins(Map(
      Seq("v") -> Pin(
        ShapeParser.parse("a BIGINT, `b c` ARRAY<STRUCT<d DECIMAL(12, 2)>>, `e``f` UUID"),
        Some(12L)
      ),
      Seq("s t", "w.x") -> Pin(Shape.Untyped, None)
    ))
    assertEquals(store(at).read(), None)
    assertEquals(store(at).create(odd), odd)
    assertEquals(store(at).read(), Some(odd))
    assertEquals(files(at), Set("_shredding/shapes.json"))
  }

  folder.test("a person finds a shape as it is written in an option, and may edit it") { at =>
    store(at).create(pins("v", "a BIGINT", Some(1000)))
    val file = at.resolve("_shredding/shapes.json")
    val text = Files.readString(file)
    assert(text.contains("\"shape\" : \"STRUCT<a BIGINT>\"") && text.contains("\"rows\" : 1000"), text)
    Files.writeString(file, text.replace("STRUCT<a BIGINT>", "a INT, b STRING"))
    assertEquals(store(at).read().map(_.columns(Seq("v")).shape.ddl), Some("STRUCT<a INT, b STRING>"))
  }

  folder.test("the first creation wins") { at =>
    assertEquals(store(at).create(pins("v", "a INT")), pins("v", "a INT"))
    assertEquals(store(at).create(pins("v", "b INT")), pins("v", "a INT"))
    store(at).replace(pins("v", "c INT"))
    assertEquals(store(at).read(), Some(pins("v", "c INT")))
  }

  folder.test("of many writers at once all go on with the pins of one") { at =>
    val writers = 8
    val pool = Executors.newFixedThreadPool(writers)
    try for (round <- 0 until 20) {
        val table = at.resolve(round.toString)
        val start = new CyclicBarrier(writers)
        val tasks = (0 until writers).map { i =>
          new Callable[Pins] {
            def call(): Pins = { start.await(); store(table).create(pins("v", s"a$i INT")) }
          }
        }
        val seen = pool.invokeAll(tasks.asJava).asScala.map(_.get).toSet + store(table).read().get
        assertEquals(seen.size, 1)
        assertEquals(files(table), Set("_shredding/shapes.json"))
      }
    finally pool.shutdown()
  }

  folder.test("while pins are replaced a reader finds the old ones or the new ones") { at =>
    val a = pins("v", (0 until 300).map(i => s"a$i BIGINT").mkString(", "))
    val b = pins("v", "b INT")
    store(at).create(a)
    val writer = new Thread(() => for (i <- 0 until 300) store(at).replace(if (i % 2 == 0) b else a))
    writer.start()
    while (writer.isAlive) assert(store(at).read().exists(p => p == a || p == b))
    writer.join()
  }

  // text of the file -> what the refusal says
  private val unusable = Seq(
    "" -> "it is no JSON object",
    "{" -> "it is no JSON",
    "[]" -> "it is no JSON object",
    "{}" -> "its version is missing",
    """{"version": 2, "columns": {}}""" -> "its version is 2 and not 1",
    """{"version": 1}""" -> "it has no object of columns",
    """{"version": 1, "columns": {"v": 3}}""" -> "the column 'v' has no shape",
    """{"version": 1, "columns": {"v..w": {"shape": "a INT"}}}""" -> "'v..w' is not an identifier",
    """{"version": 1, "columns": {"v": {"shape": "a NUMBER"}}}""" -> "'NUMBER' is not a type"
  )

  for ((text, reason) <- unusable)
    folder.test(s"it is refused with the file and the reason: $text") { at =>
      Files.writeString(Files.createDirectories(at.resolve("_shredding")).resolve("shapes.json"), text)
      val e = intercept[ShreddedVariantException](store(at).read())
      assertEquals(e.condition, "SHREDDED_VARIANT_PINNED_SHAPES")
      assert(e.getMessage.contains("_shredding/shapes.json") && e.getMessage.contains(reason), e.getMessage)
      assert(e.getMessage.contains("mend the file, or remove it"))
    }
}
