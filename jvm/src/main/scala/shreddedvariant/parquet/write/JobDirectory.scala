/**
 * The directory that has the files of one job until it is committed, and who may remove it.
 *
 *   <output>/_temporary/<job>/task_…                what tasks have committed
 *                            /_temporary/attempt_…  what they write
 *                            /_temporary/_job       the mark: made when the job begins, and never again
 *                            /_temporary/_beat      written anew by the driver as long as the job runs
 *
 * A driver that is killed leaves it behind. A later job of the same table removes it once no file in it has changed for as
 * long as the option `keepTemporary` says. Laws:
 *
 * Only a directory with a beat is removed, so none of another writer, such as Hadoop's own committer.
 *
 * A driver that runs writes the beat every quarter of an hour, however long its tasks take to write a file, and whatever
 * its own option says: that of who removes is an hour at least.
 *
 * A driver may stand still for longer, as in a machine that sleeps. So the mark is removed before any other file, and a job
 * is committed only if its mark is there after its last file has come to its place: no job loses files and succeeds.
 */
package shreddedvariant.parquet.write

import java.io.{FileNotFoundException, IOException}
import java.util.{Timer, TimerTask}
import java.util.concurrent.TimeUnit

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.slf4j.LoggerFactory
import shreddedvariant.Errors

/** Of a job that runs, in its driver. */
final class JobDirectory(path: Path, conf: Configuration, keepMillis: Long) {
  import JobDirectory._

  private val fs = path.getFileSystem(conf)
  private lazy val timer = new Timer("shredded-variant-job", true)
  private var isOver = false

  def begin(): Unit = {
    // What has a mark has a beat.
    beat()
    fs.create(new Path(path, Mark), true).close()
    val period = math.min(keepMillis / 4, LongestPause)
    val task = new TimerTask {
      override def run(): Unit =
        try beat()
        catch { case NonFatal(e) => log.warn(s"'$path' cannot be kept up to date: ${Errors.reason(e)}") }
    }
    timer.schedule(task, period, period)
  }

  private def beat(): Unit = synchronized {
    if (!isOver) fs.create(new Path(path, Beat), true).close()
  }

  def check(): Unit = if (!fs.exists(new Path(path, Mark))) throw Errors.temporaryFilesGone(path.toString)

  /** No beat is written from then on. */
  def end(): Unit = synchronized {
    isOver = true
    timer.cancel()
  }
}

object JobDirectory {
  // Beside the attempts of tasks: Hadoop's committer takes all that lies beside this directory for results.
  private val Mark = "_temporary/_job"
  private val Beat = "_temporary/_beat"
  private val LongestPause = TimeUnit.MINUTES.toMillis(15)
  private val log = LoggerFactory.getLogger(classOf[JobDirectory])

  /**
   * Removes what killed jobs have left in the place that a job writes to; what goes wrong is told, and no more. Dynamic
   * overwrites have places of their own, for which a job looks that is one itself: to find them, it lists the table.
   */
  def sweep(output: Path, conf: Configuration, keepMillis: Long): Unit =
    told(output) {
      val table = StagingDirectory.tableOf(output)
      val fs = table.getFileSystem(conf)
      val before = System.currentTimeMillis - keepMillis
      removeBelow(fs, table, before)(identity)
      if (table != output)
        for (staging <- fs.listStatus(table, StagingDirectory.is(_: Path)) if staging.isDirectory)
          removeBelow(fs, staging.getPath, before)(_ => staging.getPath)
    }

  private def removeBelow(fs: FileSystem, output: Path, before: Long)(whole: Path => Path): Unit = {
    val jobs = new Path(output, "_temporary")
    for (job <- listed(fs, jobs)) told(job) {
      lastChange(fs, job, before).foreach { time =>
        fs.delete(new Path(job, Mark), false)
        if (fs.delete(whole(job), true)) log.warn(Errors.temporaryFilesRemoved(whole(job).toString, time))
        removeEmpty(fs, jobs)
      }
    }
  }

  private def listed(fs: FileSystem, directory: Path): Seq[Path] =
    try fs.listStatus(directory).toSeq.map(_.getPath)
    catch { case _: FileNotFoundException => Nil }

  /** The directory around those of jobs goes with the last one. */
  def removeEmpty(fs: FileSystem, directory: Path): Unit =
    try { fs.delete(directory, false); () }
    catch { case _: IOException => }

  /** When a file of a job has changed last, if that was before this time; None too where no job has left a beat. */
  private def lastChange(fs: FileSystem, job: Path, before: Long): Option[Long] =
    try {
      var last = fs.getFileStatus(new Path(job, Beat)).getModificationTime
      if (last < before) {
        val files = fs.listFiles(job, true)
        while (files.hasNext) last = math.max(last, files.next().getModificationTime)
      }
      // Some file systems know no times.
      Option.when(last > 0 && last < before)(last)
    } catch {
      // Nor is anything left where a job is about to end.
      case _: FileNotFoundException => None
    }

  private def told(path: Path)(body: => Unit): Unit =
    try body
    catch { case NonFatal(e) => log.warn(Errors.temporaryFilesStay(path.toString, e)) }
}

/** A dynamic overwrite writes below a directory beside the partitions, and moves them when all are there. */
object StagingDirectory {
  private val prefix = ".spark-staging-"

  def is(path: Path): Boolean = path.getName.startsWith(prefix)
  def tableOf(path: Path): Path = if (is(path)) path.getParent else path
}
