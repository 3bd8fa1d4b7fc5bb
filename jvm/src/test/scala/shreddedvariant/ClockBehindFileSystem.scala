/** A local file system whose clock is two days behind the clock of this process. */
package shreddedvariant

import java.util.concurrent.TimeUnit.DAYS

import org.apache.hadoop.fs.{FileStatus, Path, RawLocalFileSystem}

final class ClockBehindFileSystem extends RawLocalFileSystem {
  override def getFileStatus(path: Path): FileStatus = behind(super.getFileStatus(path))
  override def listStatus(path: Path): Array[FileStatus] = super.listStatus(path).map(behind)

  private def behind(status: FileStatus) = new FileStatus(
    status.getLen,
    status.isDirectory,
    status.getReplication.toInt,
    status.getBlockSize,
    status.getModificationTime - DAYS.toMillis(2),
    status.getPath
  )
}
