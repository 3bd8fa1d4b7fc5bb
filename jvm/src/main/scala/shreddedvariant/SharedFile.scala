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

  /** Schemes of file systems on which only one of several writers can create a file or rename to a name. */
  private val Exclusive =
    Set("file", "hdfs", "webhdfs", "swebhdfs", "abfs", "abfss", "wasb", "wasbs", "adl", "gs")

  /** Refuses a directory in which two drivers could create the same file. */
  def check(directory: Path, conf: Configuration, options: Map[String, String]): Unit = {
    val fs = directory.getFileSystem(conf)
    if (!Options.isTrue(options, Options.SingleDriver) && !isExclusive(fs) && !isConditional(fs, directory))
      throw Errors.notExclusive(directory.toString)
  }

  /** For a mount table, the mounted file systems decide, not the scheme of the table. */
  private def isExclusive(fs: FileSystem): Boolean = fs.getChildFileSystems match {
    case null => Exclusive(fs.getUri.getScheme)
    case children => children.nonEmpty && children.forall(isExclusive)
  }

  /** Whether a file must be created by [[create]], on a condition. */
  def isConditional(fs: FileSystem, directory: Path): Boolean =
    !isExclusive(fs) && fs.hasPathCapability(directory, OnlyNew) && {
      // The lock is not held during the request, so that a slow store does not block other stores.
      val cached = tested.synchronized(tested.get(fs))
      if (cached != null) cached
      else {
        val isKept = keepsCondition(fs, directory)
        tested.synchronized(tested.put(fs, isKept))
        isKept
      }
    }

  private val tested = new WeakHashMap[FileSystem, java.lang.Boolean]

  /**
   * Whether the store keeps the condition. A store that does not support the condition refuses the request or
   * ignores the condition. The file system cannot detect the latter, so this creates one file twice. Afterwards
   * it removes the file, and the directory if that is new.
   */
  private def keepsCondition(fs: FileSystem, directory: Path): java.lang.Boolean = {
    val existed = fs.exists(directory)
    val probe = new Path(directory, s".${UUID.randomUUID}.tmp")
    try {
      create(fs, probe, "1".getBytes(UTF_8))
      try { put(onlyNew(fs, probe), "2".getBytes(UTF_8)); false }
      catch { case e: IOException if isRefusal(e) => true }
    } catch { case e: IOException if isUnsupported(e) => false }
    finally {
      remove(fs, probe)
      if (!existed) remove(fs, directory)
    }
  }

  /** Ignores failures: another writer may use the directory by now, and some users may write but not delete. */
  private def remove(fs: FileSystem, path: Path): Unit =
    try { fs.delete(path, false); () }
    catch { case _: IOException => }

  /** Whether the condition failed. S3A's class is found by name, because this jar is compiled without S3A. */
  def isRefusal(e: IOException): Boolean = e match {
    case _: FileAlreadyExistsException | _: HadoopFileAlreadyExists => true
    case other => other.getClass.getSimpleName == "RemoteFileChangedException"
  }

  /** Whether the store knows no conditions: S3A's errors for the statuses 400, 405, 415 and 501. */
  private def isUnsupported(e: IOException): Boolean = e.getClass.getSimpleName match {
    case "AWSUnsupportedFeatureException" => true
    case "AWSBadRequestException" => !isConflict(e)
    case _ => false
  }

  /** Whether another request for the file came in between (409), so that the condition was not checked. */
  private def isConflict(e: IOException): Boolean = e.getClass.getSimpleName == "AWSBadRequestException" && {
    try e.getClass.getMethod("statusCode").invoke(e) == 409
    catch { case _: ReflectiveOperationException => false }
  }

  /**
   * Raises FileAlreadyExistsException if another writer's file has the name. No two writers may write the same bytes.
   *
   * Law: after a failure the bytes in the store decide, because a store can write a file although its answer
   * gets lost, and then refuses the next attempt. Our bytes: the file is ours. Other bytes: another file was
   * first, and the condition keeps ours out for ever. No file: another attempt does what the first one would
   * have done.
   */
  def create(fs: FileSystem, file: Path, bytes: Array[Byte]): Unit = create(fs, file, bytes, Attempts)

  @tailrec
  private def create(fs: FileSystem, file: Path, bytes: Array[Byte], attempts: Int): Unit = {
    val failure =
      try { put(onlyNew(fs, file), bytes); None }
      catch { case e: IOException => Some(e) }
    failure match {
      case None =>
      case Some(e) if isUnsupported(e) => throw e
      case Some(e) =>
        read(fs, file) match {
          case Some(stored) if Arrays.equals(stored, bytes) =>
          case Some(_) =>
            throw new FileAlreadyExistsException(file.toString).initCause(e)
          case None if attempts <= 1 && isConflict(e) => throw Errors.storeConflict(file.toString, e)
          case None if attempts <= 1 || e.isInstanceOf[AccessDeniedException] => throw e
          case None =>
            Thread.sleep(Pause)
            create(fs, file, bytes, attempts - 1)
        }
    }
  }

  /** Replaces a file that has the expected bytes; false if the bytes differ, here or when the store checks. */
  def replace(fs: FileSystem, file: Path, expected: Array[Byte], bytes: Array[Byte]): Boolean =
    replace(fs, file, expected, bytes, Attempts)

  @tailrec
  private def replace(
      fs: FileSystem,
      file: Path,
      expected: Array[Byte],
      bytes: Array[Byte],
      attempts: Int
  ): Boolean = {
    // The tag is read before the bytes: if the file changes in between, the store refuses the older tag.
    val tag =
      try fs.getFileStatus(file) match {
          case tagged: EtagSource => Option(tagged.getEtag).filter(_.nonEmpty)
          case _ => None
        }
      catch { case _: FileNotFoundException => None }
    def overwrite() = put(fs.create(file, true), bytes)
    if (!read(fs, file).exists(Arrays.equals(_, expected))) false
    else {
      val failure =
        try {
          tag match {
            case Some(etag) =>
              try put(conditional(fs, file, OnlyOver, etag), bytes)
              // A store may know only the condition for new files.
              catch { case e: IOException if isUnsupported(e) => overwrite() }
            case None => overwrite()
          }
          None
        } catch { case e: IOException => Some(e) }
      failure match {
        case None => true
        case Some(_: FileNotFoundException) => false
        case Some(_) if read(fs, file).exists(Arrays.equals(_, bytes)) => true
        case Some(e) if isRefusal(e) => false
        case Some(e) if !isConflict(e) => throw e
        case Some(e) if attempts <= 1 => throw Errors.storeConflict(file.toString, e)
        case Some(_) =>
          Thread.sleep(Pause)
          replace(fs, file, expected, bytes, attempts - 1)
      }
    }
  }

  private def onlyNew(fs: FileSystem, file: Path) = conditional(fs, file, OnlyNew, "true")

  private def conditional(fs: FileSystem, file: Path, condition: String, value: String): FSDataOutputStream =
    fs.createFile(file).recursive().overwrite(true).must(condition, value).build().asInstanceOf[
      FSDataOutputStream
    ]

  private def put(out: FSDataOutputStream, bytes: Array[Byte]): Unit = {
    // After a failure, close() would create the file from the bytes that are written so far.
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
