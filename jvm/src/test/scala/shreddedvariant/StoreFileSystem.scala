/**
 * An object store in a directory: a file appears when it is closed, and only if the condition of its writer
 * holds. The store can be set to ignore conditions, or to report a failure after a success.
 */
package shreddedvariant

import java.io.{ByteArrayOutputStream, IOException}
import java.nio.channels.FileChannel
import java.nio.file.{Files, Path => File, Paths}
import java.nio.file.StandardCopyOption.REPLACE_EXISTING
import java.nio.file.StandardOpenOption.{CREATE, WRITE}
import java.util.UUID

import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs._
import org.apache.hadoop.fs.Options.CreateFileOptionKeys.{
  FS_OPTION_CREATE_CONDITIONAL_OVERWRITE => OnlyNew,
  FS_OPTION_CREATE_CONDITIONAL_OVERWRITE_ETAG => OnlyOver
}
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable

class StoreFileSystem extends FilesOfScheme("store") {
  override def hasPathCapability(path: Path, capability: String): Boolean =
    capability == OnlyNew || capability == OnlyOver || super.hasPathCapability(path, capability)

  override def getFileStatus(path: Path): FileStatus = {
    val status = super.getFileStatus(path)
    if (status.isFile) new TaggedStatus(status, StoreFileSystem.tag(StoreFileSystem.local(path))) else status
  }

  override protected def newFile(
      path: Path,
      overwrite: Boolean,
      local: => FSDataOutputStream
  ): FSDataOutputStream =
    stream(path, onlyNew = !overwrite, None)

  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream = stream(path, onlyNew = false, None)

  override def createFile(path: Path): FSDataOutputStreamBuilder[_, _] =
    new StoreBuilder(this, path)

  private[shreddedvariant] def stream(path: Path, onlyNew: Boolean, tag: Option[String]): FSDataOutputStream =
    new FSDataOutputStream(new Closed(path, onlyNew, tag), null)

  private final class Closed(path: Path, onlyNew: Boolean, tag: Option[String])
      extends ByteArrayOutputStream
      with Abortable {
    private var isOpen = true
    override def abort(): Abortable.AbortableResult = { isOpen = false; null }

    override def close(): Unit = if (isOpen) {
      isOpen = false
      StoreFileSystem.locked {
        val target = StoreFileSystem.local(path)
        val holds = (!onlyNew || !Files.exists(target)) &&
          tag.forall(expected => Files.exists(target) && StoreFileSystem.tag(target) == expected)
        if (!holds && !getConf.getBoolean(StoreFileSystem.Ignores, false))
          throw new FileAlreadyExistsException(path.toString)
        Files.createDirectories(target.getParent)
        val part = target.resolveSibling(s".${UUID.randomUUID}.part")
        Files.write(part, toByteArray)
        Files.move(part, target, REPLACE_EXISTING)
      }
      if (StoreFileSystem.loses(path)) throw new IOException("the connection was reset")
    }
  }
}

private final class StoreBuilder(fs: StoreFileSystem, path: Path)
    extends FSDataOutputStreamBuilder[FSDataOutputStream, StoreBuilder](fs, path) {
  override def getThisBuilder: StoreBuilder = this
  override def build(): FSDataOutputStream = {
    rejectUnknownMandatoryKeys(java.util.Set.of(OnlyNew, OnlyOver), path.toString)
    fs.stream(path, getOptions.getBoolean(OnlyNew, false), Option(getOptions.get(OnlyOver)))
  }
}

private final class TaggedStatus(status: FileStatus, tag: String)
    extends FileStatus(
      status.getLen,
      false,
      1,
      status.getBlockSize,
      status.getModificationTime,
      status.getPath
    )
    with EtagSource {
  override def getEtag: String = tag
}

object StoreFileSystem {
  val Ignores = "fs.store.ignores"

  /** Part of a path, and the number of answers for such paths that get lost. */
  @volatile var toLose: (String, Int) = ("", 0)

  private def loses(path: Path) = synchronized {
    val (part, times) = toLose
    val isLost = times > 0 && path.toString.contains(part)
    if (isLost) toLose = (part, times - 1)
    isLost
  }

  def conf(ignores: Boolean = false): Configuration = {
    val conf = new Configuration
    conf.set("fs.store.impl", classOf[StoreFileSystem].getName)
    conf.setBoolean(Ignores, ignores)
    conf.setBoolean("fs.store.impl.disable.cache", true)
    conf
  }

  private def local(path: Path): File = Paths.get(path.toUri.getPath)
  private def tag(file: File) = java.util.Arrays.hashCode(Files.readAllBytes(file)).toHexString

  /** Runs one request at a time, across all processes. */
  private def locked[A](body: => A): A = synchronized {
    val lock = Paths.get(sys.props("java.io.tmpdir"), "shredded-variant-store.lock")
    Using.resource(FileChannel.open(lock, CREATE, WRITE)) { channel =>
      val held = channel.lock()
      try body
      finally held.release()
    }
  }
}
