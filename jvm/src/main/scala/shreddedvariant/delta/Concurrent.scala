/**
 * Checks whether a replacement of files is still valid after concurrent commits.
 *
 * The replacement has read exactly the files of its region. So it fails if one of these files was removed, or
 * if a file was added to the region. Files of blind appends are an exception: a blind append has read nothing,
 * so it may be ordered after the replacement, unless the table has the isolation level Serializable
 * (`delta.isolationLevel`). The replacement also fails if columns, properties or features have changed.
 */
package shreddedvariant.delta

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import shreddedvariant.Errors
import shreddedvariant.shaded.io.delta.kernel.internal.actions.CommitInfo

final class Concurrent(target: DeltaTarget, seen: DeltaSnapshot, region: DeltaFile => Boolean) {
  private val isSerializable =
    target.properties.get("delta.isolationLevel").exists(_.equalsIgnoreCase("Serializable"))
  private val replaced = seen.files.filter(region).map(_.path).toSet

  /** The newest version, on which the replacement can be tried again; fails if it is not valid there. */
  def rebased(base: DeltaSnapshot, conf: Configuration): DeltaSnapshot = {
    val newest = DeltaLog.open(new Path(target.root), AsOf.Newest, conf)
    if (!DeltaTarget.isAlike(newest, seen)) fail(DeltaTarget.Changed)
    val present = newest.files.filter(region).map(_.path).toSet
    if (!replaced.subsetOf(present)) fail("files that are to be replaced were removed")
    if (present.size > replaced.size && !mayBeLater(base.version + 1, newest.version, conf))
      fail("files were added among those that are to be replaced")
    newest
  }

  /** Whether all commits of these versions may be ordered after the replacement. */
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
