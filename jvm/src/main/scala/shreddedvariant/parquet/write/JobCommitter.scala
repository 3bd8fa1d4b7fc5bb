/**
 * Keeps the files of a write apart from those of others until its job is committed.
 *
 * Hadoop's committer has one directory for all jobs that write to a place at the same time, and removes it when the first
 * of them is done, with what the others have written by then. Here each job has a directory of its own below it, and
 * removes no more than that, and what killed jobs have left (`JobDirectory`).
 */
package shreddedvariant.parquet.write

import java.util.concurrent.ThreadLocalRandom

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.{JobContext, JobStatus, MRJobConfig, TaskAttemptContext}
import org.apache.parquet.hadoop.ParquetOutputCommitter
import org.apache.spark.sql.internal.SQLConf

final class JobCommitter(output: Path, task: TaskAttemptContext)
    extends ParquetOutputCommitter(output, task) {
  private val keepMillis = task.getConfiguration.getLong(JobCommitter.Keep, Long.MaxValue)
  // In the driver.
  private var directory: Option[JobDirectory] = None
  private var isCommitting = false

  override def setupJob(job: JobContext): Unit = {
    super.setupJob(job)
    directory = Some(new JobDirectory(getJobAttemptPath(job), job.getConfiguration, keepMillis))
    directory.foreach(_.begin())
  }

  override def commitJob(job: JobContext): Unit = {
    directory.foreach(_.check())
    isCommitting = true
    super.commitJob(job)
    directory.foreach(_.end())
    JobDirectory.sweep(getOutputPath, job.getConfiguration, keepMillis)
  }

  override def abortJob(job: JobContext, state: JobStatus.State): Unit = {
    isCommitting = false
    super.abortJob(job, state)
  }

  /** When all files of a commit are in their places, or when the job is given up. */
  override def cleanupJob(job: JobContext): Unit = {
    if (isCommitting) directory.foreach(_.check())
    isCommitting = false
    directory.foreach(_.end())
    val own = getJobAttemptPath(job)
    val fs = own.getFileSystem(job.getConfiguration)
    fs.delete(own, true)
    JobDirectory.removeEmpty(fs, own.getParent)
  }
}

object JobCommitter {
  private[parquet] val Keep = "shredded_variant.keepTemporary"

  /** Takes the place of Parquet's committer; another one that a user has chosen stays. */
  def install(conf: Configuration, keepMillis: Long): Unit =
    if (conf.get(SQLConf.OUTPUT_COMMITTER_CLASS.key) == classOf[ParquetOutputCommitter].getName) {
      conf.set(SQLConf.OUTPUT_COMMITTER_CLASS.key, classOf[JobCommitter].getName)
      conf.setClassLoader(getClass.getClassLoader)
      conf.setInt(MRJobConfig.APPLICATION_ATTEMPT_ID, ThreadLocalRandom.current.nextInt(1, Int.MaxValue))
      conf.setLong(Keep, keepMillis)
    }
}
