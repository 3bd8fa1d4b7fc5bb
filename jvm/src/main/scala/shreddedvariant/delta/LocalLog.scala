/**
 * Puts a file of a table's log on a local disk: whole or not at all, and never over another one.
 *
 * Hadoop's local rename first looks whether the target is there, and then replaces it: of two processes that commit the
 * same version, both would succeed. A link is made by the system in one step, or not at all if the name is taken.
 */
package shreddedvariant.delta

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{FileAlreadyExistsException, Files, NoSuchFileException, Path => File, Paths}
import java.nio.file.StandardCopyOption.ATOMIC_MOVE
import java.util.{Iterator => JavaIterator, UUID}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import shreddedvariant.shaded.io.delta.storage.HDFSLogStore

/** Kernel makes it by this class, see [[DeltaLog.engine]]. */
final class LocalLog(conf: Configuration) extends HDFSLogStore(conf) {
  override def write(
      path: Path,
      actions: JavaIterator[String],
      overwrite: java.lang.Boolean,
      conf: Configuration
  ): Unit = {
    val target = Paths.get(path.toUri.getPath)
    val written = target.resolveSibling(s".${target.getFileName}.${UUID.randomUUID}.tmp")
    try {
      Files.write(written, lines(actions), UTF_8)
      if (overwrite) Files.move(written, target, ATOMIC_MOVE) else link(target, written)
      ()
    } catch {
      case _: NoSuchFileException if !Files.isDirectory(target.getParent) =>
        throw new java.io.FileNotFoundException(s"No such directory: ${target.getParent}")
    } finally { Files.deleteIfExists(written); () }
  }

  private def lines(actions: JavaIterator[String]): java.lang.Iterable[String] = () =>
    actions.asScala.map(identity[String]).asJava

  private def link(target: File, written: File): Unit =
    try { Files.createLink(target, written); () }
    catch {
      case _: UnsupportedOperationException =>
        if (Files.exists(target)) throw new FileAlreadyExistsException(target.toString)
        Files.move(written, target, ATOMIC_MOVE)
        ()
    }
}
