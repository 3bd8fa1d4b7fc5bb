/**
 * Creates a file on a file system that several drivers share: the file is whole, and only one driver creates it.
 *
 * HDFS never renames a file over another one. The file systems of Azure and Google use conditions of their stores. Others
 * state that they can create a file on a condition, as S3A does with `If-None-Match`. On any other file system two drivers
 * can create the same file without an error, so a write there needs the option `singleDriver`.
 */
package shreddedvariant

import java.io.{FileNotFoundException, IOException}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{AccessDeniedException, FileAlreadyExistsException}
import java.util.{Arrays, UUID, WeakHashMap}

import scala.annotation.tailrec

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{EtagSource, FSDataOutputStream, FileSystem, Path}
import org.apache.hadoop.fs.{FileAlreadyExistsException => HadoopFileAlreadyExists}
import org.apache.hadoop.fs.Options.CreateFileOptionKeys.{
  FS_OPTION_CREATE_CONDITIONAL_OVERWRITE => OnlyNew,
  FS_OPTION_CREATE_CONDITIONAL_OVERWRITE_ETAG => OnlyOver
}
import org.apache.hadoop.io.IOUtils

object SharedFile {

  /** Schemes whose file systems create or rename for one writer alone. */
  private val Exclusive =
    Set("file", "hdfs", "webhdfs", "swebhdfs", "abfs", "abfss", "wasb", "wasbs", "adl", "gs")

  /** Refuses a directory in which two drivers could create the same file. */
  def check(directory: Path, conf: Configuration, options: Map[String, String]): Unit = {
    val fs = directory.getFileSystem(conf)
    if (!Options.isTrue(options, Options.SingleDriver) && !isExclusive(fs) && !isConditional(fs, directory))
      throw Errors.notExclusive(directory.toString)
  }

  /** What is mounted decides, not the scheme of the mount table. */
  private def isExclusive(fs: FileSystem): Boolean = fs.getChildFileSystems match {
    case null => Exclusive(fs.getUri.getScheme)
    case children => children.nonEmpty && children.forall(isExclusive)
  }

  /** Whether files are to be created by [[create]]. */
  def isConditional(fs: FileSystem, directory: Path): Boolean =
    !isExclusive(fs) && fs.hasPathCapability(directory, OnlyNew) && {
      // A store that does not answer holds up no other: the lock is not held while it is asked.
      val met = known.synchronized(known.get(fs))
      if (met != null) met
      else {
        val keeps = keepsCondition(fs, directory)
        known.synchronized(known.put(fs, keeps))
        keeps
      }
    }

  private val known = new WeakHashMap[FileSystem, java.lang.Boolean]

  /**
   * A store that does not know the condition ignores it, and its file system cannot tell: so one file is created twice.
   * Nothing is left of it, nor of a directory that was not there.
   */
  private def keepsCondition(fs: FileSystem, directory: Path): java.lang.Boolean = {
    val wasThere = fs.exists(directory)
    val probe = new Path(directory, s".${UUID.randomUUID}.tmp")
    try {
      put(onlyNew(fs, probe), "1".getBytes(UTF_8))
      try { put(onlyNew(fs, probe), "2".getBytes(UTF_8)); false }
      catch { case e: IOException if isRefusal(e) => true }
    } finally {
      remove(fs, probe)
      if (!wasThere) remove(fs, directory)
    }
  }

  /** Another writer may have put files there meanwhile, and some may write but not delete. */
  private def remove(fs: FileSystem, path: Path): Unit =
    try { fs.delete(path, false); () }
    catch { case _: IOException => }

  /** The class of S3A is not among those that this jar is compiled with. */
  def isRefusal(e: IOException): Boolean = e match {
    case _: FileAlreadyExistsException | _: HadoopFileAlreadyExists => true
    case other => other.getClass.getSimpleName == "RemoteFileChangedException"
  }

  /**
   * Raises FileAlreadyExistsException if another writer's file has the name. No two writers may write the same bytes.
   *
   * Law: after a failure the bytes in the store decide, because a store can write a file and lose its answer, and then
   * refuses the next attempt. Our bytes: the file is ours. Other bytes: another file was first, and the condition keeps ours
   * out for ever. No file: another attempt does what the first one would have done.
   */
  def create(fs: FileSystem, file: Path, bytes: Array[Byte]): Unit = create(fs, file, bytes, Attempts)

  @tailrec
  private def create(fs: FileSystem, file: Path, bytes: Array[Byte], attempts: Int): Unit = {
    val failure =
      try { put(onlyNew(fs, file), bytes); None }
      catch { case e: IOException => Some(e) }
    failure match {
      case None =>
      case Some(e) =>
        read(fs, file) match {
          case Some(there) if Arrays.equals(there, bytes) =>
          case Some(_) =>
            throw new FileAlreadyExistsException(file.toString).initCause(e)
          case None if attempts <= 1 || e.isInstanceOf[AccessDeniedException] => throw e
          case None =>
            Thread.sleep(Pause)
            create(fs, file, bytes, attempts - 1)
        }
    }
  }

  /** Replaces a file that has these bytes; false if it has others, also where that shows only at the store. */
  def replace(fs: FileSystem, file: Path, expected: Array[Byte], bytes: Array[Byte]): Boolean = {
    // Its tag is asked for first: if the file changes before its bytes are read, the tag is not that of the bytes.
    val tag =
      try fs.getFileStatus(file) match {
          case tagged: EtagSource => Option(tagged.getEtag).filter(_.nonEmpty)
          case _ => None
        }
      catch { case _: FileNotFoundException => None }
    read(fs, file).exists(Arrays.equals(_, expected)) && {
      try {
        put(tag.fold(fs.create(file, true))(on(fs, file, OnlyOver, _)), bytes)
        true
      } catch {
        case _: FileNotFoundException => false
        case e: IOException => read(fs, file).exists(Arrays.equals(_, bytes)) || {
            if (isRefusal(e)) false else throw e
          }
      }
    }
  }

  private def onlyNew(fs: FileSystem, file: Path) = on(fs, file, OnlyNew, "true")

  private def on(fs: FileSystem, file: Path, condition: String, value: String): FSDataOutputStream =
    fs.createFile(file).recursive().overwrite(true).must(condition, value).build().asInstanceOf[
      FSDataOutputStream
    ]

  private def put(out: FSDataOutputStream, bytes: Array[Byte]): Unit = {
    // To close it would make the file of what is written so far.
    try out.write(bytes)
    catch { case e: Throwable => out.abort(); throw e }
    out.close()
  }

  def read(fs: FileSystem, file: Path): Option[Array[Byte]] =
    try {
      val in = fs.open(file)
      try Some(IOUtils.readFullyToByteArray(in))
      finally in.close()
    } catch { case _: FileNotFoundException => None }

  private val Attempts = 3
  private val Pause = 200L
}
