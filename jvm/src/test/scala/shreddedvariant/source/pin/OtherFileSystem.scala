/** A Hadoop file system that, like HDFS, creates files exclusively and never renames over a file. */
package shreddedvariant.source.pin

import java.net.URI
import java.nio.file.{Files, Paths}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs._

class OtherFileSystem extends shreddedvariant.FilesOfScheme("other") {
  override protected def newFile(
      path: Path,
      overwrite: Boolean,
      local: => FSDataOutputStream
  ): FSDataOutputStream = {
    if (!overwrite) {
      val file = Paths.get(path.toUri.getPath)
      Files.createDirectories(file.getParent)
      try Files.createFile(file)
      catch {
        case _: java.nio.file.FileAlreadyExistsException => throw new FileAlreadyExistsException(s"$path")
      }
    }
    local
  }

  override def rename(from: Path, to: Path): Boolean = OtherFileSystem.moves.synchronized {
    !exists(to) && super.rename(from, to)
  }
}

/** The same file system for `FileContext`, where a rename can replace a file in one step. */
class OtherAbstractFileSystem(uri: URI, conf: Configuration)
    extends DelegateToFileSystem(uri, new OtherFileSystem, conf, "other", false) {
  override def renameInternal(from: Path, to: Path, overwrite: Boolean): Unit =
    OtherFileSystem.moves.synchronized {
      val (source, target) = (Paths.get(from.toUri.getPath), Paths.get(to.toUri.getPath))
      if (!overwrite && Files.exists(target)) throw new FileAlreadyExistsException(s"$to")
      Files.move(source, target, java.nio.file.StandardCopyOption.ATOMIC_MOVE)
      ()
    }
}

object OtherFileSystem {
  private[source] val moves = new Object

  /** `hasContext` adds the interface of `FileContext`, which HDFS has too. */
  def conf(hasContext: Boolean): Configuration = {
    val conf = new Configuration
    conf.set("fs.other.impl", classOf[OtherFileSystem].getName)
    if (hasContext)
      conf.set("fs.AbstractFileSystem.other.impl", classOf[OtherAbstractFileSystem].getName)
    conf
  }
}
