/**
 * Writes commits on stores with conditional creation of files, where Kernel's own log store would let two
 * drivers commit the same version. Everything else, and other file systems, are left to Kernel's log store for
 * the scheme.
 */
package shreddedvariant.delta

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Iterator => JavaIterator}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import shreddedvariant.SharedFile
import shreddedvariant.shaded.io.delta.kernel.Table
import shreddedvariant.shaded.io.delta.kernel.defaults.internal.logstore.LogStoreProvider
import shreddedvariant.shaded.io.delta.storage.{CloseableIterator, LogStore}

/** Kernel creates instances by the name of this class, see [[DeltaLog.engine]]. */
final class SharedLog(conf: Configuration) extends LogStore(conf) {
  override def write(
      path: Path,
      actions: JavaIterator[String],
      overwrite: java.lang.Boolean,
      conf: Configuration
  ): Unit = {
    val fs = path.getFileSystem(conf)
    if (!isConditional(path, conf)) plain(path).write(path, actions, overwrite, conf)
    else {
      val lines = new ByteArrayOutputStream
      actions.forEachRemaining { line => lines.write(line.getBytes(UTF_8)); lines.write('\n') }
      if (overwrite) {
        val out = fs.create(path, true)
        out.write(lines.toByteArray)
        out.close()
      } else SharedFile.create(fs, path, lines.toByteArray)
    }
  }

  /** Stores with conditional creation show a file only when it is complete. */
  override def isPartialWriteVisible(path: Path, conf: Configuration): java.lang.Boolean =
    !isConditional(path, conf) && plain(path).isPartialWriteVisible(path, conf)

  override def read(path: Path, conf: Configuration): CloseableIterator[String] = plain(path).read(path, conf)
  override def listFrom(path: Path, conf: Configuration): JavaIterator[FileStatus] =
    plain(path).listFrom(path, conf)
  override def resolvePathOnPhysicalStorage(path: Path, conf: Configuration): Path =
    plain(path).resolvePathOnPhysicalStorage(path, conf)

  /** Whether the store of the log's directory has conditional creation. */
  private def isConditional(path: Path, conf: Configuration) =
    SharedFile.isConditional(path.getFileSystem(conf), path.getParent)

  private def plain(path: Path): LogStore = {
    val scheme = path.toUri.getScheme
    val kernelConf = new Configuration(conf)
    kernelConf.unset(SharedLog.storeKey(scheme))
    LogStoreProvider.getLogStore(kernelConf, scheme)
  }
}

private[delta] object SharedLog {

  /** Kernel's setting for the log store of a scheme. Shading renames the setting like the classes. */
  private[delta] def storeKey(scheme: String) = s"${classOf[Table].getPackage.getName}.logStore.$scheme.impl"
}
