/**
 * What the footers of a table's files say of some columns, from no more files than that takes.
 *
 * {{{
 *   oldest 64 | newest 64 | next oldest | next newest | …      until each column is known well enough, or 1,024 are read
 * }}}
 * A column may be younger than its table, and files of other writers, or of writes without inference, say nothing: so one
 * silent portion ends nothing. Where the oldest and the newest ones in turn are silent, some from between are looked at;
 * if these are silent too, nothing is known for now. The law: what the last write has counted is among what the next one
 * looks at, unless that write made more files than are read, or others have hidden it among theirs since.
 */
package shreddedvariant.source.pin

import org.apache.hadoop.fs.FileStatus
import shreddedvariant.parquet.write.FileCounts

/** `read` gives what each of some files says; a column is known once it is named or counted in `minRows` rows. */
private[source] final class PinEvidence(read: Seq[FileStatus] => Seq[FileCounts], minRows: Long) {
  import PinEvidence._

  def of(files: Seq[FileStatus], columns: Set[Seq[String]]): FileCounts = {
    var left = files.sortBy(file => (file.getModificationTime, file.getPath.toString)).toIndexedSeq
    var budget = MaxFiles
    // Three ages, each in its order: of several shapes that writes have named, the first holds.
    var (oldest, between, newest) = (FileCounts.nothing, FileCounts.nothing, FileCounts.nothing)
    def open = columns.filterNot(column => isKnown(Seq(oldest, between, newest), column))
    var isOldest = true
    var silent = 0
    while (open.nonEmpty && left.nonEmpty && budget > 0 && silent <= Silent) {
      val size = math.min(Portion, budget)
      val wanted = open
      val looked =
        if (silent == Silent) spread(left.size, size)
        else if (isOldest) left.indices.take(size)
        else left.indices.takeRight(size)
      val found = read(looked.map(left)).map(_.of(columns))
      if (silent == Silent) between = sum(between +: found)
      else if (isOldest) oldest = sum(oldest +: found)
      else newest = sum(found :+ newest)
      silent = if (found.forall(_.of(wanted).isEmpty)) silent + 1 else 0
      isOldest = !isOldest
      budget -= looked.size
      val seen = looked.toSet
      left = left.indices.filterNot(seen).map(left)
    }
    sum(Seq(oldest, between, newest))
  }

  private def isKnown(parts: Seq[FileCounts], column: Seq[String]) =
    parts.exists(_.isNamed(column)) || parts.map(_.rows(column)).sum >= minRows

  private def sum(parts: Seq[FileCounts]) = parts.reduce(_.and(_))

  private def spread(of: Int, size: Int): Seq[Int] =
    if (of <= size) 0 until of else (0 until size).map(i => (i.toLong * of / size).toInt)
}

private[source] object PinEvidence {

  /** Footers that are read at once, and at most, before a write. */
  val Portion = 64
  val MaxFiles = 1024

  /** So many portions one after the other, from either end, may say nothing. */
  private val Silent = 2
}
