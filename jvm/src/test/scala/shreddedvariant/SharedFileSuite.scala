/** On a store without renames, only one of several drivers creates each file. FUZZ=1 commits more often. */
package shreddedvariant

import java.nio.file.{FileAlreadyExistsException, Files, Path => File}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.logging.log4j.Level
import org.apache.logging.log4j.core.config.Configurator
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager
import org.apache.spark.sql.types.{LongType, StructType}
import shreddedvariant.delta.{AsOf, DeltaLog, DeltaTarget, DeltaTransaction, NewFile}
import shreddedvariant.layout.ShapeParser
import shreddedvariant.source.pin.{Pin, PinStore, Pins}

class SharedFileSuite extends Suite {
  import SharedFileSuite._

  private val folder = FunFixture[File](_ => Files.createTempDirectory("store"), _ => ())
  override def beforeAll(): Unit = quiet()
  override def afterEach(context: AfterEach): Unit = StoreFileSystem.toLose = ("", 0)

  private def path(file: File, name: String) = new Path(s"store://$file/$name")
  private def text(file: File, name: String) = Files.readString(file.resolve(name))
  private def files(dir: File) = dir.toFile.list.toSet
  private val singleDriver = Map(Options.SingleDriver -> "TRUE")

  folder.test("a name is taken once, and a lost answer does not count as a refusal") { dir =>
    val (conf, file) = (StoreFileSystem.conf(), path(dir, "a"))
    val fs = file.getFileSystem(conf)
    StoreFileSystem.toLose = ("/a", 1)
    SharedFile.create(fs, file, "first".getBytes)
    intercept[FileAlreadyExistsException](SharedFile.create(fs, file, "second".getBytes))
    assertEquals(text(dir, "a"), "first")
  }

  folder.test("a file is replaced only if it is the one that was read") { dir =>
    val (conf, file) = (StoreFileSystem.conf(), path(dir, "a"))
    val fs = file.getFileSystem(conf)
    def replace(expected: String, by: String) = SharedFile.replace(fs, file, expected.getBytes, by.getBytes)
    assert(!replace("", "x"))
    SharedFile.create(fs, file, "first".getBytes)
    assert(!replace("other", "x"))
    assert(replace("first", "second"))
    StoreFileSystem.toLose = ("/a", 1)
    assert(replace("second", "third"), "the file is replaced, although the answer was lost")
    assertEquals(text(dir, "a"), "third")
  }

  folder.test("a store that ignores conditions is detected, and no probe is left") { dir =>
    for (ignores <- Seq(false, true)) {
      val (conf, table) = (StoreFileSystem.conf(ignores), path(dir, "t"))
      assertEquals(SharedFile.isConditional(table.getFileSystem(conf), table), !ignores)
      assertEquals(files(dir), Set.empty[String])
      SharedFile.check(table, conf, singleDriver)
      if (!ignores) SharedFile.check(table, conf, Map.empty)
      else {
        val e = intercept[ShreddedVariantException](SharedFile.check(table, conf, Map.empty))
        assertEquals(e.condition, "SHREDDED_VARIANT_NOT_EXCLUSIVE")
        assert(e.getMessage.contains(table.toString) && e.getMessage.contains("'singleDriver'"), e.getMessage)
      }
    }
  }

  for (
    (scheme, isExclusive) <- Seq("file", "hdfs", "abfss", "gs").map(_ -> true) ++
      Seq("s3", "oss", "unknown").map(_ -> false)
  )
    test(s"by its scheme alone, $scheme is ${if (isExclusive) "accepted" else "refused"}") {
      val conf = new Configuration
      conf.set(s"fs.$scheme.impl", classOf[Named].getName)
      conf.setBoolean(s"fs.$scheme.impl.disable.cache", true)
      val table = new Path(s"$scheme://host/t")
      def check() = SharedFile.check(table, conf, Map.empty)
      if (isExclusive) check() else intercept[ShreddedVariantException](check())
    }

  folder.test("pins on a store that ignores conditions are refused without singleDriver") { dir =>
    val conf = StoreFileSystem.conf(ignores = true)
    val pins = Pins(Map(Seq("v") -> Pin(ShapeParser.parse("a INT"), None)))
    val e = intercept[ShreddedVariantException](new PinStore(path(dir, "t"), conf).add(pins))
    assertEquals(e.condition, "SHREDDED_VARIANT_NOT_EXCLUSIVE")
    assertEquals(new PinStore(path(dir, "t"), conf, singleDriver).add(pins), pins)
  }

  folder.test("two processes that commit to one table lose no commit".tag(Fuzz)) { dir =>
    val table = path(dir, "t")
    append(table, Seq("first"))
    val writers = Seq("one", "two").map(name => start(dir, table, name))
    writers.foreach(w => assertEquals(w.waitFor(), 0, writers.indices.map(i => text(dir, s"log$i")).mkString))
    val committed =
      DeltaLog.open(table, AsOf.Newest, StoreFileSystem.conf()).files.map(file => new Path(file.path).getName)
    val expected = "first" +: Seq("one", "two").flatMap(name => (0 until Commits).map(i => s"$name-$i"))
    assertEquals(committed.sorted, expected.sorted.toIndexedSeq)
  }

  folder.test("a commit is made once, although its answer gets lost") { dir =>
    val table = path(dir, "t")
    for (i <- 0 until 5) {
      StoreFileSystem.toLose = (f"_delta_log/$i%020d.json", 1)
      append(table, Seq(s"f$i"))
      assertEquals(StoreFileSystem.toLose._2, 0)
    }
    val snapshot = DeltaLog.open(table, AsOf.Newest, StoreFileSystem.conf())
    assertEquals((snapshot.version, snapshot.files.size), (4L, 5))
  }

  private var started = 0
  private def start(dir: File, table: Path, name: String): Process = {
    val java = File.of(sys.props("java.home"), "bin", "java").toString
    val command = Seq(java, "-cp", sys.props("java.class.path"), Writer, table.toString, name)
    val log = dir.resolve(s"log$started").toFile
    started += 1
    new ProcessBuilder(command.asJava).redirectErrorStream(true).redirectOutput(log).start()
  }
}

object SharedFileSuite {
  private val Writer = SharedFileWriter.getClass.getName.stripSuffix("$")
  private[shreddedvariant] val Commits = if (Fuzz.isLong) 100 else 15

  /** Turns off Kernel's messages. First makes Spark log, because its first message sets levels of its own. */
  private[shreddedvariant] def quiet(): Unit = {
    CheckpointFileManager.create(new Path("file:///"), new Configuration)
    Configurator.setAllLevels("", Level.OFF)
  }

  /** Makes one commit for each name. */
  private[shreddedvariant] def append(table: Path, names: Seq[String]): Unit = {
    val conf = StoreFileSystem.conf()
    for (name <- names) {
      val target =
        if (!DeltaLog.isCommitted(table, conf))
          DeltaTarget.create(table.toString, new StructType().add("id", LongType), Nil, Map.empty)
        else DeltaTarget.existing(DeltaLog.open(table, AsOf.Newest, conf))
      if (target.snapshot.isEmpty) DeltaLog.begin(table, conf)
      val file = NewFile(name, 1, 0, 1, Map.empty, """{"numRecords":1}""")
      new DeltaTransaction(target, conf).append(Seq(file), "Append", readsTable = false)
    }
  }

  /** A file system with a given scheme. */
  class Named extends org.apache.hadoop.fs.RawLocalFileSystem {
    private var uri: java.net.URI = _
    override def initialize(name: java.net.URI, conf: Configuration): Unit = {
      uri = name; super.initialize(name, conf)
    }
    override def getUri: java.net.URI = Option(uri).getOrElse(super.getUri)
    override protected def checkPath(path: Path): Unit = ()
  }
}

/** One of two processes that commit to a table. */
object SharedFileWriter {
  def main(arguments: Array[String]): Unit = {
    SharedFileSuite.quiet()
    SharedFileSuite.append(
      new Path(arguments(0)),
      (0 until SharedFileSuite.Commits).map(i => s"${arguments(1)}-$i")
    )
  }
}
