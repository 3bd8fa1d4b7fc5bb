/**
 * Spark's commit protocol for the data files of a Delta table: tasks write files in place, under unique names,
 * and readers ignore them until the log names them. The files of a task or a job that fails are deleted.
 */
package shreddedvariant.source.delta

import java.io.FileNotFoundException
import java.util.UUID

import scala.collection.mutable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.apache.hadoop.mapreduce.{JobContext, TaskAttemptContext}
import org.apache.spark.{TaskContext, TaskKilledException}
import org.apache.spark.internal.io.{FileCommitProtocol, FileNameSpec}
import org.apache.spark.internal.io.FileCommitProtocol.TaskCommitMessage
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils
import org.apache.spark.sql.execution.datasources.PartitioningUtils
import shreddedvariant.Errors
import shreddedvariant.delta.{DeltaLog, NewFile}

/** `times` are the partition columns of type TIMESTAMP, whose values the job writes in UTC. */
final class DeltaFileCommit(root: String, times: Set[String]) extends FileCommitProtocol with Serializable {
  import DeltaFileCommit.Sent

  // Part of the name of each file of the job.
  private val id = UUID.randomUUID.toString

  // `opened`: in a task, the files that it has opened. `committed`: in the driver, the files of committed
  // tasks.
  @transient private var opened: mutable.ArrayBuffer[String] = _
  @transient private var committed: Seq[NewFile] = Nil

  /** The files of the job, in the driver. */
  def files: Seq[NewFile] = committed

  override def setupJob(job: JobContext): Unit = committed = Nil
  override def onTaskCommit(message: TaskCommitMessage): Unit = committed ++= filesOf(message)
  override def commitJob(job: JobContext, messages: Seq[TaskCommitMessage]): Unit =
    committed = messages.flatMap(filesOf)

  /** Deletes files by name, because a task that ends while its job fails does not report its files. */
  override def abortJob(job: JobContext): Unit = {
    val table = new Path(root)
    deleteBelow(table, table.getFileSystem(job.getConfiguration))
  }

  private def deleteBelow(directory: Path, fs: FileSystem): Unit = {
    // Tasks of the job may remove files, and directories that get empty, at the same time.
    val entries =
      try fs.listStatus(directory)
      catch { case _: FileNotFoundException => Array.empty[FileStatus] }
    entries.foreach { status =>
      val path = status.getPath
      if (status.isDirectory) { if (path.getName != DeltaLog.Directory) deleteBelow(path, fs) }
      else if (path.getName.contains(id)) fs.delete(path, false)
    }
  }

  /** Deletes the files of a job whose commit to the log has failed. */
  def deleteAll(conf: Configuration): Unit = delete(committed.map(_.path), conf)

  override def setupTask(context: TaskAttemptContext): Unit = opened = mutable.ArrayBuffer.empty

  override def newTaskTempFile(
      context: TaskAttemptContext,
      dir: Option[String],
      spec: FileNameSpec
  ): String = {
    val task = context.getTaskAttemptID.getTaskID.getId
    val unique = UUID.randomUUID.toString.take(8)
    val name = f"${spec.prefix}part-$task%05d-$id-$unique${spec.suffix}"
    val path = dir.fold(name)(d => s"$d/$name")
    opened += path
    new Path(root, path).toString
  }

  override def newTaskTempFile(context: TaskAttemptContext, dir: Option[String], ext: String): String =
    newTaskTempFile(context, dir, FileNameSpec("", ext))

  override def newTaskTempFileAbsPath(context: TaskAttemptContext, dir: String, ext: String): String =
    throw Errors.notInThisVersion("A partition outside of its Delta table", "leave its location to the table")

  override def commitTask(context: TaskAttemptContext): TaskCommitMessage = {
    // The driver ignores the result of an interrupted task, so that no commit or abort would handle its files.
    if (Option(TaskContext.get()).exists(_.isInterrupted()))
      throw new TaskKilledException("its job has ended")
    val conf = context.getConfiguration
    val (empty, full) =
      opened.toSeq.flatMap(path => ClosedFiles.take(new Path(root, path).toString).map((path, _)))
        .partition { case (_, file) => file.rows == 0 }
    delete(empty.map(_._1), conf)
    new TaskCommitMessage(full.map { case (path, file) =>
      val status = new Path(root, path).getFileSystem(conf).getFileStatus(new Path(root, path))
      (path, status.getLen, status.getModificationTime, file.rows, partition(path), file.stats): Sent
    })
  }

  override def abortTask(context: TaskAttemptContext): Unit = {
    opened.foreach(path => ClosedFiles.take(new Path(root, path).toString))
    delete(opened.toSeq, context.getConfiguration)
  }

  private def filesOf(message: TaskCommitMessage): Seq[NewFile] =
    message.obj.asInstanceOf[Seq[Sent]].map((NewFile.apply _).tupled)

  private def delete(paths: Seq[String], conf: Configuration): Unit = paths.foreach { path =>
    val file = new Path(root, path)
    file.getFileSystem(conf).delete(file, false)
  }

  /** The partition values of a file, which Spark has put into the names of directories. */
  private def partition(path: String): Map[String, String] = {
    val directory = path.split('/').init.mkString("/")
    if (directory.isEmpty) Map.empty
    else PartitioningUtils.parsePathFragment(directory).map {
      case (name, ExternalCatalogUtils.DEFAULT_PARTITION_NAME) => name -> null
      // 2026-01-31 12:00:00.5 → 2026-01-31T12:00:00.5Z
      case (name, time) if times(name) => name -> (time.replace(' ', 'T') + "Z")
      case other => other
    }
  }
}

object DeltaFileCommit {

  /** A [[NewFile]] as a tuple: the threads of Spark that deserialize it do not have a session's jar. */
  private type Sent = (String, Long, Long, Long, Map[String, String], String)
}
