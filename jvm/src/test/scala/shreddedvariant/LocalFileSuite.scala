/** On local disks without links (vfat, exFAT, FUSE), files are complete, and only one writer gets each name. */
package shreddedvariant

import java.io.IOException
import java.nio.channels.FileLock
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{FileAlreadyExistsException, FileSystemException, Files, NoSuchFileException, Path}
import java.util.concurrent.{CyclicBarrier, Executors}

import scala.concurrent.duration.Duration
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.jdk.CollectionConverters._
import scala.util.Try

class LocalFileSuite extends Suite {
  import LocalFileSuite._

  private val folder = FunFixture[Path](_ => Files.createTempDirectory("links"), _ => ())
  private def names(dir: Path) = {
    val listed = Files.list(dir)
    try listed.iterator.asScala.map(_.getFileName.toString).filterNot(_.startsWith(".")).toSet
    finally listed.close()
  }

  for ((reason, noLinks) <- withoutLinks) {
    folder.test(s"where links fail with $reason, a name is taken once and a file keeps its first bytes") {
      dir =>
        assert(put(noLinks, dir.resolve("a"), "first"))
        assert(!put(noLinks, dir.resolve("a"), "second"))
        assertEquals(Files.readString(dir.resolve("a")), "first")
        assertEquals(names(dir), Set("a"))
        noLinks.put(dir.resolve("a"), replace = true) { to => Files.writeString(to, "third"); () }
        assertEquals(Files.readString(dir.resolve("a")), "third")
    }

    folder.test(s"where links fail with $reason, only one of many threads gets each name") { dir =>
      val pool = Executors.newFixedThreadPool(4)
      implicit val context: ExecutionContext = ExecutionContext.fromExecutor(pool)
      val start = new CyclicBarrier(4)
      try {
        val taken = (0 until 4).map(i => Future { start.await(); race(noLinks, dir, s"thread $i", 50) })
        val won = Await.result(Future.sequence(taken), Duration(1, "min"))
        assertEquals(won.flatten.sorted, (0 until 50).toSeq)
        won.zipWithIndex.foreach { case (files, i) => holds(dir, s"thread $i", files) }
      } finally pool.shutdown()
    }
  }

  folder.test("without links two processes never get the same name, and readers find complete files") { dir =>
    val writers = Seq("one", "two").map(name => name -> start(dir, name))
    // Both writers wait for this file, because one may start later than the other ends.
    while (!writers.forall { case (name, _) => Files.exists(dir.resolve(s".$name.ready")) }) Thread.sleep(5)
    Files.createFile(dir.resolve(".go"))
    while (writers.exists(_._2.isAlive))
      for (name <- names(dir)) assertEquals(Files.readString(dir.resolve(name)).length, Size, name)
    val taken = writers.map { case (name, process) =>
      assertEquals(process.waitFor(), 0, Files.readString(dir.resolve(s".$name.log")))
      name -> Files.readString(dir.resolve(s".$name.won")).linesIterator.map(_.toInt).toSeq
    }
    assertEquals(taken.flatMap(_._2).sorted, (0 until Rounds).toSeq)
    taken.foreach { case (name, files) => holds(dir, name, files) }
  }

  folder.test("if a process dies before it takes a name, another process can take the name") { dir =>
    val death = new IllegalStateException("died")
    val dies = new LocalFile((_, _) => throw new FileSystemException("EPERM"), _ => throw death)
    assertEquals(Try(put(dies, dir.resolve("a"), "first")).failed.get, death)
    assertEquals(names(dir), Set.empty[String])
    assert(put(withoutLinks.head._2, dir.resolve("a"), "second"))
    assertEquals(Files.readString(dir.resolve("a")), "second")
  }

  folder.test("a disk without links and locks is refused, and no file is left on it") { dir =>
    val unsupported = new LocalFile(
      (_, _) => throw new FileSystemException("EPERM"),
      _ => throw new IOException("No locks available")
    )
    val e = intercept[ShreddedVariantException](put(unsupported, dir.resolve("a"), "first"))
    assertEquals(e.condition, "SHREDDED_VARIANT_NO_LINKS")
    assert(e.getMessage.contains(dir.resolve("a").toString) && e.getMessage.contains("No locks available"))
    assertEquals(names(dir), Set.empty[String])
  }

  folder.test("on a full disk with links, the error is raised, and no file is moved") { dir =>
    var links = 0
    val full = new LocalFile(
      (target, file) => {
        links += 1
        if (links == 1) throw new FileSystemException(s"$target", null, "No space left on device")
        Files.createLink(target, file)
        ()
      },
      _ => fail("no lock is needed on a disk with links")
    )
    val e = intercept[FileSystemException](put(full, dir.resolve("a"), "first"))
    assert(e.getMessage.contains("No space left"))
    assertEquals(names(dir), Set.empty[String])
  }

  folder.test("on a disk without space for a link, the error is raised, and no file is moved") { dir =>
    val noSpace = (file: Path) => throw new FileSystemException(s"$file", null, "No space left on device")
    val full = new LocalFile((target, _) => noSpace(target), _ => fail("a move is unsafe"), noSpace)
    val e = intercept[FileSystemException](put(full, dir.resolve("a"), "first"))
    assert(e.getMessage.contains("No space left"))
    assertEquals(names(dir), Set.empty[String])
    for ((what, withoutLinks) <- withoutLinks) assert(put(withoutLinks, dir.resolve(what), "second"), what)
  }

  folder.test("a file whose bytes have no space is not there") { dir =>
    intercept[IOException](LocalFile.put(dir.resolve("a"), replace = false) { file =>
      Files.write(file, Array[Byte](1))
      throw new IOException("No space left on device")
    })
    assertEquals(names(dir), Set.empty[String])
  }

  folder.test("a missing directory does not count as missing links") { dir =>
    intercept[NoSuchFileException](put(withoutLinks.head._2, dir.resolve("none/a"), "first"))
  }

  private def holds(dir: Path, writer: String, files: Seq[Int]): Unit =
    for (i <- files) assertEquals(Files.readString(dir.resolve(i.toString)), text(writer))

  private def start(dir: Path, name: String): Process = {
    val java = Path.of(sys.props("java.home"), "bin", "java").toString
    val command =
      Seq(java, "-XX:TieredStopAtLevel=1", "-cp", sys.props("java.class.path"), Writer, dir.toString, name)
    new ProcessBuilder(command.asJava).redirectErrorStream(true)
      .redirectOutput(dir.resolve(s".$name.log").toFile).start()
  }
}

object LocalFileSuite {
  private val Writer = "shreddedvariant.LocalFileWriter"
  private[shreddedvariant] val Rounds = 300

  /** Larger than one write call. */
  private[shreddedvariant] val Size = 100000
  private[shreddedvariant] def text(writer: String): String = writer.padTo(Size, '.')

  private def lock(channel: java.nio.channels.FileChannel): FileLock = channel.lock()

  /** Linux raises EPERM or EOPNOTSUPP, other providers raise UnsupportedOperationException. */
  private[shreddedvariant] val withoutLinks: Seq[(String, LocalFile)] = Seq[(String, Path => Throwable)](
    "EPERM" -> (file => new FileSystemException(s"$file", null, "Operation not permitted")),
    "UnsupportedOperationException" -> (_ => new UnsupportedOperationException)
  ).map { case (name, failure) => name -> new LocalFile((target, _) => throw failure(target), lock) }

  /** Writes a file; false if the name is taken. */
  private[shreddedvariant] def put(files: LocalFile, target: Path, text: String): Boolean =
    try { files.put(target, replace = false) { to => Files.writeString(to, text, UTF_8); () }; true }
    catch { case _: FileAlreadyExistsException => false }

  /** Tries to take each name, and returns the names that it took. */
  private[shreddedvariant] def race(files: LocalFile, dir: Path, writer: String, names: Int): Seq[Int] =
    (0 until names).filter(i => put(files, dir.resolve(i.toString), text(writer)))
}

/** One of two processes that try to take the same names. */
object LocalFileWriter {
  def main(arguments: Array[String]): Unit = {
    val (dir, name) = (Path.of(arguments(0)), arguments(1))
    Files.createFile(dir.resolve(s".$name.ready"))
    while (!Files.exists(dir.resolve(".go"))) Thread.sleep(1)
    val won = LocalFileSuite.race(LocalFileSuite.withoutLinks.head._2, dir, name, LocalFileSuite.Rounds)
    Files.writeString(dir.resolve(s".$name.won"), won.mkString("\n"))
    ()
  }
}
