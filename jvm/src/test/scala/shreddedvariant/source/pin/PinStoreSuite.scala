/** The file of a table's pins: what it says, that people may edit it, and that the first writer wins. */
package shreddedvariant.source.pin

import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime
import java.time.Instant
import java.util.concurrent.{Callable, CyclicBarrier, Executors}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import shreddedvariant.{LocalFile, ShreddedVariantException}
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
    assertEquals(store(at).add(odd), odd)
    assertEquals(store(at).read(), Some(odd))
    assertEquals(files(at), Set("_shredding/shapes.json"))
  }

  folder.test("a person finds a shape as it is written in an option, and may edit it") { at =>
    store(at).add(pins("v", "a BIGINT", Some(1000)))
    val file = at.resolve("_shredding/shapes.json")
    val text = Files.readString(file)
    assert(text.contains("\"shape\" : \"STRUCT<a BIGINT>\"") && text.contains("\"rows\" : 1000"), text)
    Files.writeString(file, text.replace("STRUCT<a BIGINT>", "a INT, b STRING"))
    assertEquals(store(at).read().map(_.columns(Seq("v")).shape.ddl), Some("STRUCT<a INT, b STRING>"))
  }

  folder.test("the first creation wins, and columns that come later are added to it") { at =>
    assertEquals(store(at).add(pins("v", "a INT")), pins("v", "a INT"))
    assertEquals(store(at).add(pins("v", "b INT")), pins("v", "a INT"))
    val both = pins("v", "a INT").orElse(pins("w", "c INT"))
    assertEquals(store(at).add(pins("w", "c INT")), both)
    assertEquals(store(at).add(pins("v", "b INT").orElse(pins("w", "d INT"))), both)
    assertEquals(store(at).read(), Some(both))
  }

  /** Runs what many writers do at the same moment, again and again; each round on a table of its own. */
  private def race[A](
      at: Path,
      rounds: Int,
      writers: Int
  )(write: (Path, Int) => A)(check: (Path, Seq[A]) => Unit): Unit = {
    val pool = Executors.newFixedThreadPool(writers)
    try for (round <- 0 until rounds) {
        val table = at.resolve(round.toString)
        val start = new CyclicBarrier(writers)
        val tasks = (0 until writers).map { i =>
          new Callable[A] { def call(): A = { start.await(); write(table, i) } }
        }
        check(table, pool.invokeAll(tasks.asJava).asScala.toSeq.map(_.get))
      }
    finally pool.shutdown()
  }

  folder.test("of many writers at once all go on with the pins of one") { at =>
    race(at, 20, 8)((table, i) => store(table).add(pins("v", s"a$i INT"))) { (table, seen) =>
      assertEquals((seen :+ store(table).read().get).distinct.size, 1)
      assertEquals(files(table), Set("_shredding/shapes.json"))
    }
  }

  folder.test("writers that add other columns at once lose none, whether the file was there or not") { at =>
    race(at, 30, 6) { (table, i) =>
      // Half of them have read the file before the others wrote theirs.
      if (i == 0 || table.getFileName.toString.toInt % 2 == 0) store(table).add(pins("first", "a INT"))
      store(table).add(pins(s"v$i", s"a$i INT"))
    } { (table, seen) =>
      val there = store(table).read().get.columns
      for (i <- 0 until 6) assertEquals(there(Seq(s"v$i")).shape.ddl, s"STRUCT<a$i INT>")
      for ((pins, i) <- seen.zipWithIndex) assertEquals(pins.columns(Seq(s"v$i")), there(Seq(s"v$i")))
    }
  }

  folder.test("what a person changes while writers add columns is kept") { at =>
    store(at).add(pins("v", "a INT"))
    val file = at.resolve("_shredding/shapes.json")
    // What a writer adds rests on what it reads at that moment, however long ago it has decided.
    val table: PinPlace = new PinPlace {
      private val store_ = store(at)
      override def read(): Pins = store_.read().get
      override def add(first: Pins): Pins = store_.add(first)
      override def files: Seq[org.apache.hadoop.fs.FileStatus] = Nil
    }
    for (i <- 0 until 20) {
      val decided = table.read()
      Files.writeString(file, Files.readString(file).replaceAll("STRUCT<a[0-9]* INT>", s"STRUCT<a$i INT>"))
      assertNotEquals(decided, table.read())
      val stands = table.add(pins(s"w$i", "b INT"))
      assertEquals(stands.columns(Seq("v")).shape.ddl, s"STRUCT<a$i INT>")
    }
    assertEquals(store(at).read().get.columns.size, 21)
  }

  folder.test("a file that is no longer what it was is not replaced") { at =>
    val file = at.resolve("f")
    def replace(expected: String, by: String, meanwhile: => Unit = ()) =
      LocalFile.replace(file, expected.getBytes) { to => meanwhile; Files.writeString(to, by); () }
    assert(!replace("", "x"))
    Files.writeString(file, "old")
    assert(!replace("other", "x"))
    assert(!replace("old", "x", { Files.writeString(file, "a person's"); () }))
    assertEquals(Files.readString(file), "a person's")
    assert(!replace("a person's", "x", Files.delete(file)))
    Files.writeString(file, "old")
    assert(replace("old", "new"))
    assertEquals(Files.readString(file), "new")
    intercept[IllegalStateException](replace("new", "x", throw new IllegalStateException("disk")))
    assertEquals(files(at), Set("f", ".f.lock"))
    assertEquals(Files.readString(file), "new")
  }

  folder.test("while columns are added a reader finds the file before or after each") { at =>
    val a = pins("v", (0 until 300).map(i => s"a$i BIGINT").mkString(", "))
    store(at).add(a)
    val writer = new Thread(() => for (i <- 0 until 100) { store(at).add(pins(f"w$i%03d", "b INT")); () })
    writer.start()
    var last = 0
    while (writer.isAlive) {
      val found = store(at).read().get.columns
      assertEquals(
        found.size - 1,
        found.keys.map(_.head).filter(_ != "v").map(_.drop(1).toInt + 1).maxOption.getOrElse(0)
      )
      assert(found.size >= last && found.contains(Seq("v")))
      last = found.size
    }
    writer.join()
    assertEquals(store(at).read().get.columns.size, 101)
  }

  folder.test("what a process has left unfinished goes with the next that writes, once it is old") { at =>
    val left = Files.createDirectories(at.resolve("_shredding")).resolve(".shapes.json.0123.tmp")
    val young = left.resolveSibling(".shapes.json.4567.tmp")
    Seq(left, young).foreach(Files.writeString(_, "{\"version\""))
    Files.setLastModifiedTime(left, FileTime.from(Instant.now.minusSeconds(7200)))
    store(at).add(pins("v", "a INT"))
    assertEquals(files(at), Set("_shredding/shapes.json", "_shredding/.shapes.json.4567.tmp"))
    assertEquals(store(at).read(), Some(pins("v", "a INT")))
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
