/** Of a job that fails no file stays, whoever knows of it, and no other file goes. */
package shreddedvariant.source.delta

import java.nio.file.{Files, Path => LocalPath}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path, RawLocalFileSystem}
import org.apache.hadoop.mapreduce.{JobID, TaskAttemptID, TaskID, TaskType}
import org.apache.hadoop.mapreduce.task.{JobContextImpl, TaskAttemptContextImpl}
import org.apache.spark.internal.io.FileNameSpec

class DeltaFileCommitSuite extends munit.FunSuite {
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

  table.test("a file of which its task told nobody goes with the job, and others stay") { root =>
    val (failing, other) =
      (new DeltaFileCommit(root.toString, Set.empty), new DeltaFileCommit(root.toString, Set.empty))
    Seq(failing, other).foreach(_.setupJob(job))
    val untold = Seq(opened(failing, 0), opened(failing, 1, Some("p=1/q=2")))
    val ofAnother = Seq(opened(other, 0), opened(other, 1, Some("p=1/q=2")))
    failing.abortJob(job)
    assert(untold.forall(file => !Files.exists(file)))
    assert(ofAnother.forall(file => Files.exists(file)))
  }

  table.test(
    "files that their tasks remove while the job is looking for them do not hide why it has failed"
  ) {
    root =>
      val vanishing = new Configuration(false)
      vanishing.set("fs.file.impl", classOf[VanishingFiles].getName)
      vanishing.setBoolean("fs.file.impl.disable.cache", true)
      val commit = new DeltaFileCommit(root.toString, Set.empty)
      commit.setupJob(job)
      val files = Seq(opened(commit, 0), opened(commit, 1), opened(commit, 2, Some("p=1")))
      commit.abortJob(new JobContextImpl(vanishing, jobId))
      assert(files.forall(file => !Files.exists(file)))
  }

  table.test("a job without files, and without a table, fails in peace") { root =>
    new DeltaFileCommit(root.resolve("none").toString, Set.empty).abortJob(job)
    new DeltaFileCommit(root.toString, Set.empty).abortJob(job)
  }

  table.test("two attempts of a task have files of their own") { root =>
    val commit = new DeltaFileCommit(root.toString, Set.empty)
    assertNotEquals(opened(commit, 0), opened(commit, 0))
  }
}

/** Whose files are gone as soon as a listing has named them. */
class VanishingFiles extends RawLocalFileSystem {
  override def listStatus(path: Path): Array[FileStatus] = {
    val found = super.listStatus(path)
    found.filter(_.isFile).foreach(file => delete(file.getPath, false))
    found
  }
}
