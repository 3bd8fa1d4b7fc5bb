/**
 * Puts a file on a local disk: whole or not at all, and over another one only where that is meant.
 *
 * Hadoop's local rename first looks whether the target is there, and then replaces it: of two processes that create one
 * file, both would succeed. A link is made by the system in one step, or not at all if the name is taken.
 */
package shreddedvariant

import java.nio.file.{FileAlreadyExistsException, Files, Path => File}
import java.nio.file.StandardCopyOption.ATOMIC_MOVE
import java.util.UUID

object LocalFile {

  /** Has `write` fill a file beside `target`, then gives it that name. Raises if the name is taken and `replace` is false. */
  def put(target: File, replace: Boolean)(write: File => Unit): Unit = {
    val written = target.resolveSibling(s".${target.getFileName}.${UUID.randomUUID}.tmp")
    try {
      write(written)
      if (replace) Files.move(written, target, ATOMIC_MOVE) else link(target, written)
      ()
    } finally { Files.deleteIfExists(written); () }
  }

  /** File systems without links are left with a look at the target before the move. */
  private def link(target: File, written: File): Unit =
    try { Files.createLink(target, written); () }
    catch {
      case _: UnsupportedOperationException =>
        if (Files.exists(target)) throw new FileAlreadyExistsException(target.toString)
        Files.move(written, target, ATOMIC_MOVE)
        ()
    }
}
