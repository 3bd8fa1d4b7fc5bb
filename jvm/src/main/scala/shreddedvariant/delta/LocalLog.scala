/** Writes a table's log to a local disk, where Hadoop would let two commits of the same version succeed. */
package shreddedvariant.delta

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, NoSuchFileException, Paths}
import java.util.{Iterator => JavaIterator}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import shreddedvariant.LocalFile
import shreddedvariant.shaded.io.delta.storage.HDFSLogStore

/** Kernel creates instances by the name of this class, see [[DeltaLog.engine]]. */
final class LocalLog(conf: Configuration) extends HDFSLogStore(conf) {
  override def write(
      path: Path,
      actions: JavaIterator[String],
      overwrite: java.lang.Boolean,
      conf: Configuration
  ): Unit = {
    val target = Paths.get(path.toUri.getPath)
    val lines: java.lang.Iterable[String] = () => actions.asScala.map(identity[String]).asJava
    try LocalFile.put(target, overwrite) { file => Files.write(file, lines, UTF_8); () }
    catch {
      case _: NoSuchFileException if !Files.isDirectory(target.getParent) =>
        throw new java.io.FileNotFoundException(s"No such directory: ${target.getParent}")
    }
  }
}
