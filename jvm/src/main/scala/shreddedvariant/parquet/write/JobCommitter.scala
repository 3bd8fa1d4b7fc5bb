/**
 * Keeps the files of each write in a separate directory until the job is committed.
 *
 * Hadoop's committer uses one directory for all concurrent jobs of an output path, and removes it when the
 * first of them ends, with the files of the others. Here each job has its own directory below it, and removes
 * only its own directory and the directories of killed jobs (`JobDirectory`).
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
  // Only in the driver.
  private var directory: Option[JobDirectory] = None
  private var isCommitting = false

  override def setupJob(job: JobContext): Unit = {
    super.setupJob(job)
    directory = Some(new JobDirectory(getJobAttemptPath(job), job.getConfiguration, keepMillis))
    directory.foreach(_.begin())
  }

  override def commitJob(job: JobContext): Unit = {
    val began = directory.map(_.check())
    isCommitting = true
    super.commitJob(job)
    directory.foreach(_.end())
    began.foreach(JobDirectory.sweep(getOutputPath, job.getConfiguration, _, keepMillis))
  }

  override def abortJob(job: JobContext, state: JobStatus.State): Unit = {
    isCommitting = false
    super.abortJob(job, state)
  }

  /** Called after all files of a commit are in their final place, or when the job is aborted. */
  override def cleanupJob(job: JobContext): Unit = {
    if (isCommitting) directory.foreach(_.check())
    isCommitting = false
    directory.foreach(_.end())
    val jobPath = getJobAttemptPath(job)
    val fs = jobPath.getFileSystem(job.getConfiguration)
    fs.delete(jobPath, true)
    JobDirectory.removeEmpty(fs, jobPath.getParent)
  }
}

object JobCommitter {
  private[parquet] val Keep = "shredded_variant.keepTemporary"

  /** Replaces Parquet's committer. Another committer that the user sets is kept. */
  def install(conf: Configuration, keepMillis: Long): Unit =
    if (conf.get(SQLConf.OUTPUT_COMMITTER_CLASS.key) == classOf[ParquetOutputCommitter].getName) {
      conf.set(SQLConf.OUTPUT_COMMITTER_CLASS.key, classOf[JobCommitter].getName)
      conf.setClassLoader(getClass.getClassLoader)
      conf.setInt(MRJobConfig.APPLICATION_ATTEMPT_ID, ThreadLocalRandom.current.nextInt(1, Int.MaxValue))
      conf.setLong(Keep, keepMillis)
    }
}
