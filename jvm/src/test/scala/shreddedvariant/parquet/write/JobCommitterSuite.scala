/**
 * Later jobs remove the files of killed jobs. If they remove a file of a running job, the running job fails.
 */
package shreddedvariant.parquet.write

import java.io.IOException
import java.nio.file.{Files, Path => LocalPath}
import java.nio.file.attribute.FileTime
import java.util.concurrent.TimeUnit.DAYS

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path, RawLocalFileSystem}
import org.apache.hadoop.mapreduce._
import org.apache.hadoop.mapreduce.task.{JobContextImpl, TaskAttemptContextImpl}
import org.apache.logging.log4j.{Level, LogManager}
import org.apache.logging.log4j.core.{LogEvent, Logger}
import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.{Configurator, Property}
import org.apache.parquet.hadoop.ParquetOutputCommitter
import org.apache.spark.sql.internal.SQLConf
import shreddedvariant.{ClockBehindFileSystem, ShreddedVariantException}

class JobCommitterSuite extends shreddedvariant.Suite {

  /**
   * Spark's first log message configures all loggers, and Hadoop logs each job, so this turns other loggers
   * off.
   */
  override def beforeAll(): Unit = {
    SQLConf.get
    Configurator.setAllLevels("", Level.OFF)
    Configurator.setLevel(classOf[JobDirectory].getName, Level.WARN)
  }

  private val table = FunFixture[LocalPath](
    _ => Files.createTempDirectory("table"),
    root =>
      Files.walk(root).sorted(java.util.Comparator.reverseOrder[LocalPath]).forEach(f => Files.delete(f))
  )

  /** A job that writes one file with its name, into the table or a directory below. */
  private class Job(
      name: String,
      table: LocalPath,
      below: String = "",
      keep: Long = DAYS.toMillis(1),
      fs: Option[Class[_]] = None
  ) {
    private val conf = new Configuration(false)
    fs.foreach(conf.setClass("fs.file.impl", _, classOf[org.apache.hadoop.fs.FileSystem]))
    conf.setBoolean("fs.file.impl.disable.cache", true)
    conf.set(SQLConf.OUTPUT_COMMITTER_CLASS.key, classOf[ParquetOutputCommitter].getName)
    // The same settings as in Spark.
    conf.setInt("mapreduce.fileoutputcommitter.algorithm.version", 1)
    conf.set("parquet.summary.metadata.level", "NONE")
    JobCommitter.install(conf, keep)
    private val id = new JobID(name, 1)
    private val job = new JobContextImpl(conf, id)
    private val attempt =
      new TaskAttemptContextImpl(conf, new TaskAttemptID(new TaskID(id, TaskType.MAP, 0), 0))
    private val output = new Path(table.resolve(below).toUri)
    private val (driver, task) = (new JobCommitter(output, attempt), new JobCommitter(output, attempt))
    val directory: LocalPath = LocalPath.of(driver.getJobAttemptPath(job).toUri.getPath)
    def beat: LocalPath = directory.resolve("_temporary/_beat")

    def begin(): Job = { driver.setupJob(job); this }
    def write(): Job = {
      val file = LocalPath.of(new Path(task.getWorkPath, name).toUri.getPath)
      Files.createDirectories(file.getParent)
      Files.write(file, Array[Byte](1))
      task.commitTask(attempt)
      this
    }
    def commit(): Unit = driver.commitJob(job)
    def abort(): Unit = driver.abortJob(job, JobStatus.State.FAILED)
  }

  private def below(path: LocalPath): Seq[LocalPath] = Files.walk(path).iterator.asScala.toSeq

  private def isYoung(file: LocalPath) =
    Files.getLastModifiedTime(file).toMillis > System.currentTimeMillis - DAYS.toMillis(1)

  private def age(path: LocalPath, days: Long = 2): Unit =
    below(path).foreach(
      Files.setLastModifiedTime(_, FileTime.fromMillis(System.currentTimeMillis - DAYS.toMillis(days)))
    )

  /** The names of the files and directories in the table, without `_SUCCESS` and checksums. */
  private def listed(table: LocalPath): Set[String] =
    table.toFile.list.filterNot(n => n == "_SUCCESS" || n.startsWith(".") && n.endsWith(".crc")).toSet

  /** The warnings that the body logs. */
  private def warnings(body: => Unit): Seq[String] = {
    val found = mutable.Buffer.empty[String]
    val appender = new AbstractAppender("test", null, null, true, Property.EMPTY_ARRAY) {
      override def append(event: LogEvent): Unit = { found += event.getMessage.getFormattedMessage; () }
    }
    appender.start()
    val logger = LogManager.getLogger(classOf[JobDirectory]).asInstanceOf[Logger]
    logger.addAppender(appender)
    try body
    finally logger.removeAppender(appender)
    found.toSeq
  }

  table.test("the commit of a later job removes the files of a killed job, with a warning") { root =>
    val killed = new Job("killed", root).begin().write()
    age(killed.directory)
    val messages = warnings(new Job("later", root).begin().write().commit())
    assertEquals(listed(root), Set("later"))
    assertEquals(messages.size, 1)
    assert(messages.head.startsWith("[SHREDDED_VARIANT_TEMPORARY_FILES_REMOVED] "), messages.head)
    assert(messages.head.contains(killed.directory.toString), messages.head)
  }

  table.test("an aborted job removes only its own files") { root =>
    age(new Job("killed", root).begin().write().directory)
    new Job("later", root).begin().write().abort()
    assertEquals(listed(root), Set("_temporary"))
    assertEquals(root.resolve("_temporary").toFile.list.toSeq.size, 1)
  }

  table.test("young directories, directories with a young file, and those of other writers are kept") {
    root =>
      val running = Seq.fill(4)(new Job("running", root).begin().write())
      running.tail.foreach(job => age(job.directory))
      // The second job has a young beat, the third a young file of a task. For the fourth, the committing job
      // has a larger option.
      age(running(3).directory, 100)
      Files.setLastModifiedTime(running(1).beat, FileTime.fromMillis(System.currentTimeMillis))
      below(running(2).directory).filter(_.endsWith("running"))
        .foreach(Files.setLastModifiedTime(_, FileTime.fromMillis(System.currentTimeMillis)))
      // Directories of Hadoop's own committer, and of a user.
      for (other <- Seq("0/task_1/x", "7/_temporary/attempt_1/x")) {
        val file = root.resolve("_temporary").resolve(other)
        Files.createDirectories(file.getParent)
        Files.write(file, Array[Byte](1))
      }
      Seq("0", "7").foreach(name => age(root.resolve("_temporary").resolve(name)))
      val before = below(root.resolve("_temporary")).toSet
      assertEquals(warnings(new Job("later", root, keep = DAYS.toMillis(200)).begin().write().commit()), Nil)
      assertEquals(below(root.resolve("_temporary")).toSet, before)
      running(3).abort()
      assertEquals(warnings(new Job("latest", root).begin().write().commit()), Nil)
      running.take(3).foreach(_.commit())
      assertEquals(listed(root), Set("_temporary", "later", "latest", "running"))
      assertEquals(root.resolve("_temporary").toFile.list.toSet, Set("0", "7"))
  }

  table.test("a running job is kept where the clock of the store is behind the clock of the driver") { root =>
    val running = new Job("running", root, fs = Some(classOf[ClockBehindFileSystem])).begin().write()
    assertEquals(
      warnings(new Job("later", root, fs = Some(classOf[ClockBehindFileSystem])).begin().write().commit()),
      Nil
    )
    running.commit()
    assertEquals(listed(root), Set("running", "later"))
  }

  table.test("a job with a running driver is kept, for any duration of its tasks") { root =>
    // The beat is written every half second.
    val running = new Job("running", root, keep = 2000).begin().write()
    age(running.directory)
    val until = System.currentTimeMillis + 60000
    while (!isYoung(running.beat) && System.currentTimeMillis < until) Thread.sleep(20)
    assertEquals(warnings(new Job("other", root).begin().write().commit()), Nil)
    running.commit()
    assertEquals(listed(root), Set("running", "other"))
  }

  for (when <- Seq("before its tasks are done", "before it commits"))
    table.test(s"a job whose files are removed $when fails, and leaves no files") { root =>
      val stopped = new Job("stopped", root).begin().write()
      age(stopped.directory)
      new Job("later", root).begin().write().commit()
      assert(!Files.exists(stopped.directory))
      if (when == "before its tasks are done") stopped.write()
      val e = intercept[ShreddedVariantException](stopped.commit())
      assertEquals(e.condition, "SHREDDED_VARIANT_TEMPORARY_FILES_GONE")
      assert(e.getMessage.contains(stopped.directory.toString), e.getMessage)
      stopped.abort()
      assertEquals(listed(root), Set("later"))
    }

  table.test("a job whose files are removed while it commits fails") { root =>
    val stopped = new Job("stopped", root, fs = Some(classOf[RemovedWhileRenamed])).begin().write()
    RemovedWhileRenamed.mark = stopped.directory.resolve("_temporary/_job")
    val e = intercept[ShreddedVariantException](stopped.commit())
    assertEquals(e.condition, "SHREDDED_VARIANT_TEMPORARY_FILES_GONE")
    stopped.abort()
  }

  table.test("a dynamic overwrite removes the files of killed dynamic overwrites, and nothing else") {
    root =>
      val killed = new Job("killed", root, ".spark-staging-1").begin().write()
      val young = new Job("young", root, ".spark-staging-2").begin().write()
      age(killed.directory)
      // Overwrites that were killed while they moved partitions; the second has moved one lately.
      for (staging <- Seq(".spark-staging-3", ".spark-staging-5")) {
        val partition = Files.createDirectories(root.resolve(s"$staging/p=1"))
        Files.write(partition.resolve("x"), Array[Byte](1))
        age(root.resolve(staging))
      }
      Files.createDirectory(root.resolve(".spark-staging-5/p=2"))
      // A job of another writer.
      val other = Files.createDirectories(root.resolve(".spark-staging-6/_temporary/0/_temporary"))
      age(root.resolve(".spark-staging-6"))
      val plainJob = new Job("files", root).begin().write()
      age(plainJob.directory)
      val messages = warnings(new Job("later", root, ".spark-staging-4").begin().write().commit())
      assertEquals(
        listed(root),
        Set(".spark-staging-2", ".spark-staging-4", ".spark-staging-5", ".spark-staging-6")
      )
      assert(Files.exists(other))
      assertEquals(messages.size, 3)
      young.abort()
  }

  for ((what, fs) <- Seq("list" -> classOf[Unlistable], "remove" -> classOf[Unremovable]))
    table.test(s"a job that cannot $what the files of killed jobs is committed, with a warning") { root =>
      val killed = new Job("killed", root).begin().write()
      age(killed.directory)
      val messages = warnings(new Job("later", root, fs = Some(fs)).begin().write().commit())
      assertEquals(listed(root), Set("later", "_temporary"))
      assertEquals(messages.size, 1)
      assert(messages.head.startsWith("[SHREDDED_VARIANT_TEMPORARY_FILES_STAY] "), messages.head)
      assert(messages.head.contains("no such luck"), messages.head)
    }
}

/** A file system in which the directories of jobs cannot be listed. */
class Unlistable extends RawLocalFileSystem {
  override def listStatus(path: Path): Array[FileStatus] =
    if (path.getName == "_temporary") throw new IOException("no such luck") else super.listStatus(path)
}

/** A file system in which the mark of a job cannot be removed, and so nothing of the job. */
class Unremovable extends RawLocalFileSystem {
  override def delete(path: Path, recursive: Boolean): Boolean =
    if (path.getName == "_job") throw new IOException("no such luck") else super.delete(path, recursive)
}

/** A file system that removes the mark of a job while the job renames its files, as a removing job does. */
class RemovedWhileRenamed extends RawLocalFileSystem {
  override def rename(from: Path, to: Path): Boolean = {
    Files.deleteIfExists(RemovedWhileRenamed.mark)
    super.rename(from, to)
  }
}

object RemovedWhileRenamed {
  @volatile var mark: LocalPath = LocalPath.of("none")
}
