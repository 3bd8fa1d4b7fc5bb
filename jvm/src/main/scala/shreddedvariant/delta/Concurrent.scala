/**
 * Judges whether a replacement of files still means the same after others have committed.
 *
 * The replacement has read all files of its region, and no others. So it fails if one of these is gone, or if a new one
 * has come; but for blind appends, which have read nothing: they come after the replacement as well as before it, unless
 * the table wants its commits in one order (`delta.isolationLevel` Serializable). It fails too if columns, properties or
 * features have changed.
 */
package shreddedvariant.delta

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import shreddedvariant.Errors
import shreddedvariant.shaded.io.delta.kernel.internal.actions.CommitInfo

final class Concurrent(target: DeltaTarget, seen: DeltaSnapshot, region: DeltaFile => Boolean) {
  private val isSerializable =
    target.properties.get("delta.isolationLevel").exists(_.equalsIgnoreCase("Serializable"))
  private val wanted = seen.files.filter(region).map(_.path).toSet

  /** The newest version, on which the replacement may be tried again. */
  def rebased(base: DeltaSnapshot, conf: Configuration): DeltaSnapshot = {
    val newest = DeltaLog.open(new Path(target.root), AsOf.Newest, conf)
    if (!DeltaTarget.isAlike(newest, seen)) fail(DeltaTarget.Changed)
    val there = newest.files.filter(region).map(_.path).toSet
    if (!wanted.subsetOf(there)) fail("files that are to be replaced were removed")
    if (there.size > wanted.size && !mayBeLater(base.version + 1, newest.version, conf))
      fail("files were added among those that are to be replaced")
    newest
  }

  private def mayBeLater(from: Long, until: Long, conf: Configuration) =
    !isSerializable && !target.isChanged && (from to until).forall(isBlindAppend(_, conf))

  private def isBlindAppend(version: Long, conf: Configuration): Boolean = {
    val engine = DeltaLog.engine(target.root, conf)
    val info = KernelErrors.attempt(target.root) {
      CommitInfo.unsafeTryReadCommitInfoFromPublishedDeltaFile(engine, seen.kernel.getLogPath, version)
    }
    info.isPresent && info.get.getIsBlindAppend.orElse(false)
  }

  private def fail(reason: String) = throw Errors.deltaConflict(target.root, reason)
}
