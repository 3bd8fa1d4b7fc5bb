/** Files on local disks that know no links (vfat, exFAT, FUSE): whole or not at all, and each name for one writer alone. */
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

class LocalFileSuite extends munit.FunSuite {
  import LocalFileSuite._

  private val folder = FunFixture[Path](_ => Files.createTempDirectory("links"), _ => ())
  private def names(at: Path) = {
    val listed = Files.list(at)
    try listed.iterator.asScala.map(_.getFileName.toString).filterNot(_.startsWith(".")).toSet
    finally listed.close()
  }

  for ((reason, noLinks) <- withoutLinks) {
    folder.test(s"where links fail with $reason, a name is taken once and a file keeps its first bytes") {
      at =>
        assert(put(noLinks, at.resolve("a"), "first"))
        assert(!put(noLinks, at.resolve("a"), "second"))
        assertEquals(Files.readString(at.resolve("a")), "first")
        assertEquals(names(at), Set("a"))
        noLinks.put(at.resolve("a"), replace = true) { to => Files.writeString(to, "third"); () }
        assertEquals(Files.readString(at.resolve("a")), "third")
    }

    folder.test(s"where links fail with $reason, of many threads one gets each name") { at =>
      val pool = Executors.newFixedThreadPool(4)
      implicit val context: ExecutionContext = ExecutionContext.fromExecutor(pool)
      val start = new CyclicBarrier(4)
      try {
        val taken = (0 until 4).map(i => Future { start.await(); race(noLinks, at, s"thread $i", 50) })
        val won = Await.result(Future.sequence(taken), Duration(1, "min"))
        assertEquals(won.flatten.sorted, (0 until 50).toSeq)
        won.zipWithIndex.foreach { case (files, i) => holds(at, s"thread $i", files) }
      } finally pool.shutdown()
    }
  }

  folder.test("without links two processes never share a name, and who reads finds whole files") { at =>
    val writers = Seq("one", "two").map(name => name -> start(at, name))
    // Both wait for it, because one needs longer to start than the other to write.
    while (!writers.forall { case (name, _) => Files.exists(at.resolve(s".$name.ready")) }) Thread.sleep(5)
    Files.createFile(at.resolve(".go"))
    while (writers.exists(_._2.isAlive))
      for (name <- names(at)) assertEquals(Files.readString(at.resolve(name)).length, Size, name)
    val won = writers.map { case (name, process) =>
      assertEquals(process.waitFor(), 0, Files.readString(at.resolve(s".$name.log")))
      name -> Files.readString(at.resolve(s".$name.won")).linesIterator.map(_.toInt).toSeq
    }
    assertEquals(won.flatMap(_._2).sorted, (0 until Rounds).toSeq)
    won.foreach { case (name, files) => holds(at, name, files) }
  }

  folder.test("a process that dies before it gives the name leaves the name to others") { at =>
    val died = new IllegalStateException("died")
    val dies = new LocalFile((_, _) => throw new FileSystemException("EPERM"), _ => throw died)
    assertEquals(Try(put(dies, at.resolve("a"), "first")).failed.get, died)
    assertEquals(names(at), Set.empty[String])
    assert(put(withoutLinks.head._2, at.resolve("a"), "second"))
    assertEquals(Files.readString(at.resolve("a")), "second")
  }

  folder.test("a disk with neither links nor locks is refused by name, and nothing is left on it") { at =>
    val nothing = new LocalFile(
      (_, _) => throw new FileSystemException("EPERM"),
      _ => throw new IOException("No locks available")
    )
    val e = intercept[ShreddedVariantException](put(nothing, at.resolve("a"), "first"))
    assertEquals(e.condition, "SHREDDED_VARIANT_NO_LINKS")
    assert(e.getMessage.contains(at.resolve("a").toString) && e.getMessage.contains("No locks available"))
    assertEquals(names(at), Set.empty[String])
  }

  folder.test("a disk that is full has links as well: its error is told, and no file is moved") { at =>
    var links = 0
    val full = new LocalFile(
      (target, file) => {
        links += 1
        if (links == 1) throw new FileSystemException(s"$target", null, "No space left on device")
        Files.createLink(target, file)
        ()
      },
      _ => fail("no lock is needed where there are links")
    )
    val e = intercept[FileSystemException](put(full, at.resolve("a"), "first"))
    assert(e.getMessage.contains("No space left"))
    assertEquals(names(at), Set.empty[String])
  }

  folder.test("a directory that is not there is no lack of links") { at =>
    intercept[NoSuchFileException](put(withoutLinks.head._2, at.resolve("none/a"), "first"))
  }

  private def holds(at: Path, writer: String, files: Seq[Int]): Unit =
    for (i <- files) assertEquals(Files.readString(at.resolve(i.toString)), text(writer))

  private def start(at: Path, name: String): Process = {
    val java = Path.of(sys.props("java.home"), "bin", "java").toString
    val command =
      Seq(java, "-XX:TieredStopAtLevel=1", "-cp", sys.props("java.class.path"), Writer, at.toString, name)
    new ProcessBuilder(command.asJava).redirectErrorStream(true)
      .redirectOutput(at.resolve(s".$name.log").toFile).start()
  }
}

object LocalFileSuite {
  private val Writer = "shreddedvariant.LocalFileWriter"
  private[shreddedvariant] val Rounds = 300

  /** Larger than what one write gives to a file. */
  private[shreddedvariant] val Size = 100000
  private[shreddedvariant] def text(writer: String): String = writer.padTo(Size, '.')

  private def lock(channel: java.nio.channels.FileChannel): FileLock = channel.lock()

  /** Linux says EPERM or EOPNOTSUPP, other providers that they know no such operation. */
  private[shreddedvariant] val withoutLinks: Seq[(String, LocalFile)] = Seq[(String, Path => Throwable)](
    "EPERM" -> (file => new FileSystemException(s"$file", null, "Operation not permitted")),
    "UnsupportedOperationException" -> (_ => new UnsupportedOperationException)
  ).map { case (name, failure) => name -> new LocalFile((target, _) => throw failure(target), lock) }

  /** Whether the name was free. */
  private[shreddedvariant] def put(files: LocalFile, target: Path, text: String): Boolean =
    try { files.put(target, replace = false) { to => Files.writeString(to, text, UTF_8); () }; true }
    catch { case _: FileAlreadyExistsException => false }

  /** Takes the names that are left; those that it got. */
  private[shreddedvariant] def race(files: LocalFile, at: Path, writer: String, names: Int): Seq[Int] =
    (0 until names).filter(i => put(files, at.resolve(i.toString), text(writer)))
}

/** One of two processes that want the same names. */
object LocalFileWriter {
  def main(arguments: Array[String]): Unit = {
    val (at, name) = (Path.of(arguments(0)), arguments(1))
    Files.createFile(at.resolve(s".$name.ready"))
    while (!Files.exists(at.resolve(".go"))) Thread.sleep(1)
    val won = LocalFileSuite.race(LocalFileSuite.withoutLinks.head._2, at, name, LocalFileSuite.Rounds)
    Files.writeString(at.resolve(s".$name.won"), won.mkString("\n"))
    ()
  }
}
