/**
 * Keeps the files of a write apart from those of others until its job is committed.
 *
 * Hadoop's committer has one directory for all jobs that write to a place at the same time, and removes it when the first
 * of them is done, with what the others have written by then. Here each job has a directory of its own below it, and
 * removes no more than that.
 */
package shreddedvariant.parquet

import java.io.IOException
import java.util.concurrent.ThreadLocalRandom

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.{JobContext, MRJobConfig, TaskAttemptContext}
import org.apache.parquet.hadoop.ParquetOutputCommitter
import org.apache.spark.sql.internal.SQLConf

final class JobCommitter(output: Path, task: TaskAttemptContext)
    extends ParquetOutputCommitter(output, task) {
  override def cleanupJob(job: JobContext): Unit = {
    val own = getJobAttemptPath(job)
    val fs = own.getFileSystem(job.getConfiguration)
    fs.delete(own, true)
    // The directory around it goes with the last job that has one there.
    try fs.delete(own.getParent, false)
    catch { case _: IOException => }
    ()
  }
}

object JobCommitter {

  /** Takes the place of Parquet's committer; another one that a user has chosen stays. */
  def install(conf: Configuration): Unit =
    if (conf.get(SQLConf.OUTPUT_COMMITTER_CLASS.key) == classOf[ParquetOutputCommitter].getName) {
      conf.set(SQLConf.OUTPUT_COMMITTER_CLASS.key, classOf[JobCommitter].getName)
      conf.setClassLoader(getClass.getClassLoader)
      conf.setInt(MRJobConfig.APPLICATION_ATTEMPT_ID, ThreadLocalRandom.current.nextInt(1, Int.MaxValue))
    }
}
