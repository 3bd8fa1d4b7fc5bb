/**
 * The files that a rewrite reads, grouped into bins: files of one partition, up to the target size together.
 *
 * Files are put into bins by modification time, each file into the first bin with enough space. So rows that
 * were written together stay together, and at most one bin of a partition is less than half full. Hence a
 * second run finds no files to rewrite.
 */
package shreddedvariant.source.maintain

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.PartitionedFileUtil
import org.apache.spark.sql.execution.datasources._

/**
 * Without `targetBytes`, rows are read as in any read of the table. With `onlySmall`, a file stays as it is if
 * it is large enough or the only file of its bin.
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
    // The bins before this one have no space even for the smallest file.
    var first = 0
    val minSize = if (files.isEmpty) 0L else files.map(_.getLen).min
    for (file <- files) {
      while (first < bins.size && sizes(first) + minSize > limit) first += 1
      val fitting = (first until bins.size).find(i => sizes(i) + file.getLen <= limit)
      val i = fitting.getOrElse {
        bins += mutable.ArrayBuffer.empty
        sizes += 0L
        bins.size - 1
      }
      bins(i) += file
      sizes(i) += file.getLen
    }
    bins.map(_.toSeq).toSeq
  }

  /** One partition for each bin; its task writes one file unless the query moves rows. None without a size. */
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
