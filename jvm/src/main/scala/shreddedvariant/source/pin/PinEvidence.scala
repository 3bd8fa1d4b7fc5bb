/**
 * Merges the counts and named shapes in the footers of a table's files, and reads only as many as necessary.
 *
 * {{{
 *   oldest 64 | newest 64 | next oldest | next newest | …   until all columns are complete, or 1,024 are read
 * }}}
 * A column may be younger than its table, and files of other writers, or of writes without inference, have no
 * counts. So one uninformative batch does not end the search. After two consecutive uninformative batches, one
 * of the oldest and one of the newest files, the next batch is spread over the files between them; if that is
 * uninformative too, the search ends. Law: a write reads the counts of the write before it, unless that write
 * made more files than are read, or files of other writers have been added since.
 */
package shreddedvariant.source.pin

import org.apache.hadoop.fs.FileStatus
import shreddedvariant.parquet.write.FileCounts

/** `read` reads footers. A column is complete if a file names its shape or `minRows` rows are counted. */
private[source] final class PinEvidence(read: Seq[FileStatus] => Seq[FileCounts], minRows: Long) {
  import PinEvidence._

  def of(files: Seq[FileStatus], columns: Set[Seq[String]]): FileCounts = {
    var left = files.sortBy(file => (file.getModificationTime, file.getPath.toString)).toIndexedSeq
    var budget = MaxFiles
    // Each part is in the order of age, because the oldest named shape wins.
    var (oldest, between, newest) = (FileCounts.nothing, FileCounts.nothing, FileCounts.nothing)
    def incomplete = columns.filterNot(column => isComplete(Seq(oldest, between, newest), column))
    var isOldest = true
    var uninformative = 0
    while (incomplete.nonEmpty && left.nonEmpty && budget > 0 && uninformative <= MaxUninformative) {
      val size = math.min(Portion, budget)
      val needed = incomplete
      val batch =
        if (uninformative == MaxUninformative) spread(left.size, size)
        else if (isOldest) left.indices.take(size)
        else left.indices.takeRight(size)
      val footers = read(batch.map(left)).map(_.of(columns))
      if (uninformative == MaxUninformative) between = sum(between +: footers)
      else if (isOldest) oldest = sum(oldest +: footers)
      else newest = sum(footers :+ newest)
      uninformative = if (footers.forall(_.of(needed).isEmpty)) uninformative + 1 else 0
      isOldest = !isOldest
      budget -= batch.size
      val taken = batch.toSet
      left = left.indices.filterNot(taken).map(left)
    }
    sum(Seq(oldest, between, newest))
  }

  private def isComplete(parts: Seq[FileCounts], column: Seq[String]) =
    parts.exists(_.isNamed(column)) || parts.map(_.rows(column)).sum >= minRows

  private def sum(parts: Seq[FileCounts]) = parts.reduce(_.and(_))

  private def spread(count: Int, size: Int): Seq[Int] =
    if (count <= size) 0 until count else (0 until size).map(i => (i.toLong * count / size).toInt)
}

private[source] object PinEvidence {

  /** The number of footers of one batch, and the maximum before a write. */
  val Portion = 64
  val MaxFiles = 1024

  /** The number of consecutive uninformative batches from both ends after which files between them are read. */
  private val MaxUninformative = 2
}
