/**
 * The directory with the files of one job until its commit, and the rules for removing this directory.
 *
 *   <output>/_temporary/<job>/task_…                files of committed tasks
 *                            /_temporary/attempt_…  files of running tasks
 *                            /_temporary/_job       the mark: created once, when the job starts
 *                            /_temporary/_beat      the beat: written repeatedly by the driver during the job
 *
 * A killed driver leaves its directory behind. A later job of the same table removes the directory after no
 * file in it has changed for the time in the option `keepTemporary`.
 *
 * Law: only a directory with a beat is removed, so no directory of another writer, such as Hadoop's own
 * committer.
 *
 * Law: a running driver writes the beat at least every quarter of an hour, for any duration of its tasks and
 * any value of its own `keepTemporary`. The `keepTemporary` of a removing job is at least one hour. All times
 * are those of the store: now is the time of the removing job's own mark, which is not later.
 *
 * Law: a driver may pause for longer, for example while the machine sleeps. So the mark is removed before any
 * other file, and a commit succeeds only if the mark exists after the last file is in its final place. So no
 * job loses files and succeeds.
 *
 * Law: a dynamic overwrite that moves its partitions has no directory of a job. It changes the staging directory
 * or one below it with each partition that it moves, which takes less than a day.
 */
package shreddedvariant.parquet.write

import java.io.{FileNotFoundException, IOException}
import java.util.{Timer, TimerTask}
import java.util.concurrent.TimeUnit

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.slf4j.LoggerFactory
import shreddedvariant.Errors

/** The directory of a running job, used by its driver. */
final class JobDirectory(path: Path, conf: Configuration, keepMillis: Long) {
  import JobDirectory._

  private val fs = path.getFileSystem(conf)
  private lazy val timer = new Timer("shredded-variant-job", true)
  private var hasEnded = false

  def begin(): Unit = {
    // The beat is written first, so that every directory with a mark has a beat.
    beat()
    fs.create(new Path(path, Mark), true).close()
    val period = math.min(keepMillis / 4, MaxPeriod)
    val task = new TimerTask {
      override def run(): Unit =
        try beat()
        catch { case NonFatal(e) => log.warn(s"'$path' cannot be kept up to date: ${Errors.reason(e)}") }
    }
    timer.schedule(task, period, period)
  }

  private def beat(): Unit = synchronized {
    if (!hasEnded) fs.create(new Path(path, Beat), true).close()
  }

  /** The time at which the store got the mark; fails if there is no mark. */
  def check(): Long =
    try fs.getFileStatus(new Path(path, Mark)).getModificationTime
    catch { case _: FileNotFoundException => throw Errors.temporaryFilesGone(path.toString) }

  /** Ends the job: no beat is written after this call. */
  def end(): Unit = synchronized {
    hasEnded = true
    timer.cancel()
  }
}

object JobDirectory {
  // Next to the task attempts, because Hadoop's committer treats everything outside of `_temporary` as results.
  private val Mark = "_temporary/_job"
  private val Beat = "_temporary/_beat"
  private val MaxPeriod = TimeUnit.MINUTES.toMillis(15)
  private val MaxMove = TimeUnit.DAYS.toMillis(1)
  private val log = LoggerFactory.getLogger(classOf[JobDirectory])

  /**
   * Removes the directories of killed jobs in `output`, as of `now`, a time of the store. Errors are only logged.
   * Dynamic overwrites write to separate staging directories; a job that is a dynamic overwrite lists the table
   * to find those of killed jobs.
   */
  def sweep(output: Path, conf: Configuration, now: Long, keepMillis: Long): Unit =
    logged(output) {
      val table = StagingDirectory.tableOf(output)
      val fs = table.getFileSystem(conf)
      val deadline = now - keepMillis
      removeBelow(fs, table, deadline)(identity)
      if (table != output)
        for (
          staging <- fs.listStatus(table, StagingDirectory.is(_: Path))
          if staging.isDirectory && staging.getPath.getName != output.getName
        ) {
          removeBelow(fs, staging.getPath, deadline)(_ => staging.getPath)
          removeMoving(fs, staging, math.min(deadline, now - MaxMove))
        }
    }

  /** Removes a staging directory whose job was killed while it moved the partitions. */
  private def removeMoving(fs: FileSystem, staging: FileStatus, deadline: Long): Unit =
    logged(staging.getPath) {
      def lastChange(status: FileStatus): Long = {
        val below = if (status.isDirectory) fs.listStatus(status.getPath).toSeq else Nil
        // Those of a job that runs have rules of their own.
        if (below.exists(_.getPath.getName == "_temporary")) Long.MaxValue
        else below.foldLeft(status.getModificationTime)((last, one) => math.max(last, lastChange(one)))
      }
      val changedAt =
        try lastChange(staging)
        catch { case _: FileNotFoundException => Long.MaxValue }
      if (changedAt > 0 && changedAt < deadline && fs.delete(staging.getPath, true))
        log.warn(Errors.temporaryFilesRemoved(staging.getPath.toString, changedAt))
    }

  private def removeBelow(fs: FileSystem, output: Path, deadline: Long)(removed: Path => Path): Unit = {
    val jobs = new Path(output, "_temporary")
    for (job <- listed(fs, jobs)) logged(job) {
      lastChange(fs, job, deadline).foreach { changedAt =>
        fs.delete(new Path(job, Mark), false)
        val directory = removed(job)
        if (fs.delete(directory, true)) log.warn(Errors.temporaryFilesRemoved(directory.toString, changedAt))
        removeEmpty(fs, jobs)
      }
    }
  }

  private def listed(fs: FileSystem, directory: Path): Seq[Path] =
    try fs.listStatus(directory).toSeq.map(_.getPath)
    catch { case _: FileNotFoundException => Nil }

  /** Removes the directory that contains the directories of jobs, if it is empty. */
  def removeEmpty(fs: FileSystem, directory: Path): Unit =
    try { fs.delete(directory, false); () }
    catch { case _: IOException => }

  /**
   * The time of the last change of a file of a job, if it is before `deadline`; None also if there is no beat.
   */
  private def lastChange(fs: FileSystem, job: Path, deadline: Long): Option[Long] =
    try {
      var last = fs.getFileStatus(new Path(job, Beat)).getModificationTime
      if (last < deadline) {
        val files = fs.listFiles(job, true)
        while (files.hasNext) last = math.max(last, files.next().getModificationTime)
      }
      // Some file systems have no modification times.
      Option.when(last > 0 && last < deadline)(last)
    } catch {
      // There is no beat, or the job ends and removes its files.
      case _: FileNotFoundException => None
    }

  private def logged(path: Path)(body: => Unit): Unit =
    try body
    catch { case NonFatal(e) => log.warn(Errors.temporaryFilesStay(path.toString, e)) }
}

/**
 * A dynamic overwrite writes to a staging directory in the table, and then moves the partitions into the table.
 */
object StagingDirectory {
  private val prefix = ".spark-staging-"

  def is(path: Path): Boolean = path.getName.startsWith(prefix)
  def tableOf(path: Path): Path = if (is(path)) path.getParent else path
}
