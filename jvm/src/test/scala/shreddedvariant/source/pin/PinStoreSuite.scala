/** The file of a table's pins: its content, edits of users, and concurrent writers. */
package shreddedvariant.source.pin

import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime
import java.time.Instant
import java.util.concurrent.{Callable, CyclicBarrier, Executors}
import java.util.concurrent.atomic.AtomicBoolean

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import shreddedvariant.{ClockBehindFileSystem, LocalFile, ShreddedVariantException}
import shreddedvariant.layout.{Shape, ShapeParser}

class PinStoreSuite extends shreddedvariant.Suite {
  private val folder = FunFixture[Path](_ => Files.createTempDirectory("pins"), _ => ())

  private def store(dir: Path) = new PinStore(new HadoopPath(dir.toUri), new Configuration)
  private def pins(column: String, shape: String, rows: Option[Long] = None) =
    Pins(Map(Seq(column) -> Pin(ShapeParser.parse(shape), rows)))
  private def files(dir: Path) = {
    val walk = Files.walk(dir)
    try walk.iterator.asScala.filter(Files.isRegularFile(_)).map(dir.relativize(_).toString).toSet
    finally walk.close()
  }

  folder.test("added pins are read back") { dir =>
    val odd = Pins(Map(
      Seq("v") -> Pin(
        ShapeParser.parse("a BIGINT, `b c` ARRAY<STRUCT<d DECIMAL(12, 2)>>, `e``f` UUID"),
        Some(12L)
      ),
      Seq("s t", "w.x") -> Pin(Shape.Untyped, None)
    ))
    assertEquals(store(dir).read(), None)
    assertEquals(store(dir).add(odd), odd)
    assertEquals(store(dir).read(), Some(odd))
    assertEquals(files(dir), Set("_shredding/shapes.json"))
  }

  folder.test("the file has a shape as an option has it, and users may edit it") { dir =>
    store(dir).add(pins("v", "a BIGINT", Some(1000)))
    val file = dir.resolve("_shredding/shapes.json")
    val text = Files.readString(file)
    assert(text.contains("\"shape\" : \"STRUCT<a BIGINT>\"") && text.contains("\"rows\" : 1000"), text)
    Files.writeString(file, text.replace("STRUCT<a BIGINT>", "a INT, b STRING"))
    assertEquals(store(dir).read().map(_.columns(Seq("v")).shape.ddl), Some("STRUCT<a INT, b STRING>"))
  }

  folder.test("the first creation wins, and later columns are added to it") { dir =>
    assertEquals(store(dir).add(pins("v", "a INT")), pins("v", "a INT"))
    assertEquals(store(dir).add(pins("v", "b INT")), pins("v", "a INT"))
    val both = pins("v", "a INT").orElse(pins("w", "c INT"))
    assertEquals(store(dir).add(pins("w", "c INT")), both)
    assertEquals(store(dir).add(pins("v", "b INT").orElse(pins("w", "d INT"))), both)
    assertEquals(store(dir).read(), Some(both))
  }

  /** Runs `write` in several threads at the same time, for several rounds; each round has its own table. */
  private def race[A](
      dir: Path,
      rounds: Int,
      writers: Int
  )(write: (Path, Int) => A)(check: (Path, Seq[A]) => Unit): Unit = {
    val pool = Executors.newFixedThreadPool(writers)
    try for (round <- 0 until rounds) {
        val table = dir.resolve(round.toString)
        val start = new CyclicBarrier(writers)
        val tasks = (0 until writers).map { i =>
          new Callable[A] { def call(): A = { start.await(); write(table, i) } }
        }
        check(table, pool.invokeAll(tasks.asJava).asScala.toSeq.map(_.get))
      }
    finally pool.shutdown()
  }

  folder.test("many writers at once all use the pins of the first") { dir =>
    race(dir, 20, 8)((table, i) => store(table).add(pins("v", s"a$i INT"))) { (table, results) =>
      assertEquals((results :+ store(table).read().get).distinct.size, 1)
      assertEquals(files(table), Set("_shredding/shapes.json"))
    }
  }

  folder.test("writers that add different columns at once lose none, whether the file existed or not") {
    dir =>
      race(dir, 30, 6) { (table, i) =>
        // In even rounds, each writer reads or creates the file first; in odd rounds, only writer 0 does.
        if (i == 0 || table.getFileName.toString.toInt % 2 == 0) store(table).add(pins("first", "a INT"))
        store(table).add(pins(s"v$i", s"a$i INT"))
      } { (table, results) =>
        val stored = store(table).read().get.columns
        for (i <- 0 until 6) assertEquals(stored(Seq(s"v$i")).shape.ddl, s"STRUCT<a$i INT>")
        for ((pins, i) <- results.zipWithIndex) assertEquals(pins.columns(Seq(s"v$i")), stored(Seq(s"v$i")))
      }
  }

  folder.test("edits of users are kept while writers add columns") { dir =>
    store(dir).add(pins("v", "a INT"))
    val file = dir.resolve("_shredding/shapes.json")
    // `add` reads the file again, whenever the writer has read the pins before.
    val table: PinPlace = new PinPlace {
      private val store_ = store(dir)
      override def read(): Pins = store_.read().get
      override def add(missing: Pins): Pins = store_.add(missing)
      override def files: Seq[org.apache.hadoop.fs.FileStatus] = Nil
    }
    for (i <- 0 until 20) {
      val before = table.read()
      Files.writeString(file, Files.readString(file).replaceAll("STRUCT<a[0-9]* INT>", s"STRUCT<a$i INT>"))
      assertNotEquals(before, table.read())
      val after = table.add(pins(s"w$i", "b INT"))
      assertEquals(after.columns(Seq("v")).shape.ddl, s"STRUCT<a$i INT>")
    }
    assertEquals(store(dir).read().get.columns.size, 21)
  }

  folder.test("a file that has changed is not replaced") { dir =>
    val file = dir.resolve("f")
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
    assertEquals(files(dir), Set("f", ".f.lock"))
    assertEquals(Files.readString(file), "new")
  }

  folder.test("a reader finds the complete file while columns are added") { dir =>
    val a = pins("v", (0 until 300).map(i => s"a$i BIGINT").mkString(", "))
    store(dir).add(a)
    val writer = new Thread(() => for (i <- 0 until 100) { store(dir).add(pins(f"w$i%03d", "b INT")); () })
    writer.start()
    var last = 0
    while (writer.isAlive) {
      val found = store(dir).read().get.columns
      assertEquals(
        found.size - 1,
        found.keys.map(_.head).filter(_ != "v").map(_.drop(1).toInt + 1).maxOption.getOrElse(0)
      )
      assert(found.size >= last && found.contains(Seq("v")))
      last = found.size
    }
    writer.join()
    assertEquals(store(dir).read().get.columns.size, 101)
  }

  folder.test("the next writer removes temporary files of other processes if they are old") { dir =>
    val old = Files.createDirectories(dir.resolve("_shredding")).resolve(".shapes.json.0123.tmp")
    val young = old.resolveSibling(".shapes.json.4567.tmp")
    Seq(old, young).foreach(Files.writeString(_, "{\"version\""))
    Files.setLastModifiedTime(old, FileTime.from(Instant.now.minusSeconds(7200)))
    store(dir).add(pins("v", "a INT"))
    assertEquals(files(dir), Set("_shredding/shapes.json", "_shredding/.shapes.json.4567.tmp"))
    assertEquals(store(dir).read(), Some(pins("v", "a INT")))
  }

  folder.test(
    "a lease is kept where the clock of the file system is behind the clock of the waiting writer"
  ) { dir =>
    val at = new HadoopPath(dir.toUri)
    val fs = new ClockBehindFileSystem
    fs.initialize(at.toUri, new Configuration)
    def lease = new PinLease(fs, at, isConditional = false)
    val hasWaited = new AtomicBoolean
    val waiting = lease.held {
      val thread = new Thread(() => lease.held(hasWaited.set(true)))
      thread.start()
      thread.join(500)
      assertEquals(hasWaited.get, false)
      thread
    }
    waiting.join()
    assertEquals(hasWaited.get, true)
    assertEquals(files(dir), Set.empty[String])
  }

  folder.test("a writer whose lease has expired leaves the lease of the next writer") { dir =>
    val at = new HadoopPath(dir.toUri)
    val fs = at.getFileSystem(new Configuration)
    val lease = dir.resolve(s".${PinStore.FileName}.lock")
    new PinLease(fs, at, isConditional = false).held {
      fs.delete(new HadoopPath(lease.toUri), false)
      Files.writeString(lease, "of the next writer")
    }
    assertEquals(Files.readString(lease), "of the next writer")
    Files.delete(lease)
    assertEquals(new PinLease(fs, at, isConditional = false).held(Files.exists(lease)), true)
    assert(!Files.exists(lease))
  }

  // text of the file -> reason in the error
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
    folder.test(s"an unusable file is refused with its path and the reason: $text") { dir =>
      Files.writeString(Files.createDirectories(dir.resolve("_shredding")).resolve("shapes.json"), text)
      val e = intercept[ShreddedVariantException](store(dir).read())
      assertEquals(e.condition, "SHREDDED_VARIANT_PINNED_SHAPES")
      assert(e.getMessage.contains("_shredding/shapes.json") && e.getMessage.contains(reason), e.getMessage)
      assert(e.getMessage.contains("mend the file, or remove it"))
    }
}
