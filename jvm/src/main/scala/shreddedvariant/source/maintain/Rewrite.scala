/**
 * Which files a rewrite takes, and which of them become one: files of one partition, up to the wanted size together.
 *
 * Bins are filled in the order in which files came, each file into the first bin that has room, so rows that came together
 * stay together, and of two bins of a partition at most one is less than half full. Hence a second run finds nothing.
 */
package shreddedvariant.source.maintain

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.PartitionedFileUtil
import org.apache.spark.sql.execution.datasources._

/**
 * Without `targetBytes` rows are read as any table's are. With `onlySmall` files stay as they are that are large enough,
 * or that no other file of their partition fits to.
 */
final case class Rewrite(targetBytes: Option[Long], onlySmall: Boolean) {
  def bins(index: FileIndex): Seq[Bin] = index.listFiles(Nil, Nil).flatMap { directory =>
    val files = directory.files.sortBy(f => (f.getModificationTime, f.getPath.toString))
    val (small, large) = files.partition(f => targetBytes.forall(f.getLen < _))
    val filled = fill(small)
    val bins = if (onlySmall) filled.filter(_.size > 1) else filled ++ large.map(Seq(_))
    bins.map(Bin(directory.values, _))
  }

  private def fill(files: Seq[FileStatusWithMetadata]): Seq[Seq[FileStatusWithMetadata]] = {
    val limit = targetBytes.getOrElse(0L)
    val bins = mutable.ArrayBuffer.empty[mutable.ArrayBuffer[FileStatusWithMetadata]]
    val sizes = mutable.ArrayBuffer.empty[Long]
    // Bins before this one have no room for any file that is left.
    var first = 0
    val least = if (files.isEmpty) 0L else files.map(_.getLen).min
    for (file <- files) {
      while (first < bins.size && sizes(first) + least > limit) first += 1
      val room = (first until bins.size).find(i => sizes(i) + file.getLen <= limit)
      val i = room.getOrElse {
        bins += mutable.ArrayBuffer.empty
        sizes += 0L
        bins.size - 1
      }
      bins(i) += file
      sizes(i) += file.getLen
    }
    bins.map(_.toSeq).toSeq
  }

  /** One task for each bin: it writes one file, if nothing moves rows on the way. None without a size. */
  def partitions(index: FileIndex): Option[Seq[FilePartition]] = targetBytes.map { _ =>
    bins(index).zipWithIndex.map { case (bin, i) =>
      FilePartition(i, bin.files.map(bin.whole).toArray)
    }
  }
}

/** Files of one partition. */
final case class Bin(values: InternalRow, files: Seq[FileStatusWithMetadata]) {
  def bytes: Long = files.map(_.getLen).sum

  def whole(file: FileStatusWithMetadata): PartitionedFile =
    PartitionedFileUtil.getPartitionedFile(file, file.getPath, values, 0, file.getLen)
}
