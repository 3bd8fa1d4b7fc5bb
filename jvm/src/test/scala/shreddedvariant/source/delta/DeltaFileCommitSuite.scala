/** A job that fails deletes all of its files, reported or not, and no other file. */
package shreddedvariant.source.delta

import java.nio.file.{Files, Path => LocalPath}
import java.util.concurrent.atomic.AtomicInteger

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path, RawLocalFileSystem}
import org.apache.hadoop.mapreduce.{JobID, TaskAttemptID, TaskID, TaskType}
import org.apache.hadoop.mapreduce.task.{JobContextImpl, TaskAttemptContextImpl}
import org.apache.spark.internal.io.FileNameSpec

class DeltaFileCommitSuite extends shreddedvariant.Suite {
  private val table = FunFixture[LocalPath](
    _ => Files.createTempDirectory("table"),
    root =>
      Files.walk(root).sorted(java.util.Comparator.reverseOrder[LocalPath]).forEach(f => Files.delete(f))
  )
  private val conf = new Configuration(false)
  private val jobId = new JobID("job", 1)
  private val job = new JobContextImpl(conf, jobId)

  private def opened(commit: DeltaFileCommit, task: Int, dir: Option[String] = None): LocalPath = {
    val attempt = new TaskAttemptID(new TaskID(jobId, TaskType.MAP, task), 0)
    val context = new TaskAttemptContextImpl(conf, attempt)
    commit.setupTask(context)
    val file = LocalPath.of(commit.newTaskTempFile(context, dir, FileNameSpec("", "-c000.parquet")))
    Files.createDirectories(file.getParent)
    Files.write(file, Array[Byte](1))
  }

  table.test("abortJob deletes files that their tasks did not report, and no files of other jobs") { root =>
    val (failing, other) =
      (new DeltaFileCommit(root.toString, Set.empty), new DeltaFileCommit(root.toString, Set.empty))
    Seq(failing, other).foreach(_.setupJob(job))
    val unreported = Seq(opened(failing, 0), opened(failing, 1, Some("p=1/q=2")))
    val ofOtherJob = Seq(opened(other, 0), opened(other, 1, Some("p=1/q=2")))
    failing.abortJob(job)
    assert(unreported.forall(file => !Files.exists(file)))
    assert(ofOtherJob.forall(file => Files.exists(file)))
  }

  table.test(
    "abortJob raises no error if tasks delete their files during a listing"
  ) {
    root =>
      val vanishing = new Configuration(false)
      vanishing.set("fs.file.impl", classOf[VanishingFiles].getName)
      vanishing.setBoolean("fs.file.impl.disable.cache", true)
      val commit = new DeltaFileCommit(root.toString, Set.empty)
      commit.setupJob(job)
      val files = Seq(opened(commit, 0), opened(commit, 1), opened(commit, 2, Some("p=1")))
      VanishingFiles.deleted.set(0)
      commit.abortJob(new JobContextImpl(vanishing, jobId))
      assertEquals(VanishingFiles.deleted.get, files.size)
      assert(files.forall(file => !Files.exists(file)))
  }

  table.test("abortJob of a job without files, or without a table, raises no error") { root =>
    new DeltaFileCommit(root.resolve("none").toString, Set.empty).abortJob(job)
    new DeltaFileCommit(root.toString, Set.empty).abortJob(job)
  }

  table.test("two attempts of a task have different file names") { root =>
    val commit = new DeltaFileCommit(root.toString, Set.empty)
    assertNotEquals(opened(commit, 0), opened(commit, 0))
  }
}

/** A file system that deletes files as soon as a listing has named them. */
class VanishingFiles extends RawLocalFileSystem {
  override def listStatus(path: Path): Array[FileStatus] = {
    val listed = super.listStatus(path)
    for (file <- listed if file.isFile && delete(file.getPath, false))
      VanishingFiles.deleted.incrementAndGet()
    listed
  }
}

object VanishingFiles {
  val deleted = new AtomicInteger
}
