/**
 * Gives the columns of a write the shapes that their table keeps, and lets the table keep those that it lacks.
 *
 * A column's pin is its first shape: the one that an earlier write named, or else the one that is inferred from what the
 * files of the table say they hold, as soon as that is enough. So files of the first write may differ from each other,
 * and those of all later writes are alike. A write that names another shape has it for itself, and the pin stays.
 *
 * Commits of path writes and of streams bring no messages of ours. So this is decided before a write, in the driver,
 * from the footers of earlier ones; a write that fails leaves nothing behind that others would follow.
 */
package shreddedvariant.source

import java.io.FileNotFoundException
import java.util.concurrent.{Callable, Executors}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import shreddedvariant.{Options, ShreddedVariantException}
import shreddedvariant.infer.{Counts, Inference}
import shreddedvariant.layout.Shape
import shreddedvariant.parquet.{FileCounts, OpenFile, WriteJob}

final class Pinning(place: PinPlace, conf: Configuration, options: Map[String, String]) {
  private val minRows = Options.pinMinRows(options)

  /** A table that is replaced as a whole starts anew: its directory goes, and the pins with it. */
  def apply(job: WriteJob): WriteJob =
    if (Options.isUnpinned(options) || options.contains(WriteRule.Replaces) || job.limits.isEmpty) job
    else {
      val pins = place.read()
      val first = firstShapes(job, job.limits.keySet -- pins.columns.keys)
      reuse(job, if (first.columns.isEmpty) pins else place.add(first))
    }

  /** Columns that are to be inferred take their pins; one that is pinned without a shape is written unshredded. */
  private def reuse(job: WriteJob, pins: Pins): WriteJob = {
    val pinned = pins.columns.collect { case (path, pin) if job.limits.contains(path) => path -> pin.shape }
    job.copy(
      shapes = job.shapes ++ pinned.filter(_._2 != Shape.Untyped),
      limits = job.limits -- pinned.keys
    )
  }

  private def firstShapes(job: WriteJob, open: Set[Seq[String]]): Pins =
    if (open.isEmpty) Pins.none
    else {
      val found = look(open)
      val known = (found.counts -- found.named.keys).filter(_._2.values >= minRows)
        .toSeq.sortBy(_._1.mkString("."))
      val shapes = Inference.infer(known.map { case (path, counts) => counts -> job.limits(path) })
      val inferred = known.zip(shapes).map { case ((path, counts), inferred) =>
        path -> Pin(inferred.shape, Some(counts.values))
      }
      Pins(inferred.toMap ++ found.named.map { case (path, shape) => path -> Pin(shape, None) })
    }

  /**
   * What the files say of some columns, the oldest first: a writer that looks a little later may see more files, but the
   * same ones before these. Of as many files as it takes to know all of these well enough.
   */
  private def look(columns: Set[Seq[String]]): FootersSay = {
    val portions = place.files.sortBy(file => (file.getModificationTime, file.getPath.toString)).take(
      Pinning.MaxFiles
    ).grouped(Pinning.Portion)
    var sum = FootersSay.nothing
    var isPromising = true
    while (isPromising && portions.hasNext) {
      val found = read(portions.next()).map(_.of(columns))
      found.foreach(more => sum = sum.and(more))
      // Files that other writers made say nothing, and there is no point in opening all of them.
      isPromising = !found.forall(_.isEmpty) && !columns.forall(sum.knows(_, minRows))
    }
    sum
  }

  private def read(portion: Seq[FileStatus]): Seq[FootersSay] = {
    val pool = Executors.newFixedThreadPool(math.min(portion.size, Pinning.Threads))
    try {
      val reads = portion.map(file => (() => read(file)): Callable[FootersSay])
      pool.invokeAll(reads.asJava).asScala.toSeq.map(_.get)
    } finally pool.shutdown()
  }

  /** What is no Parquet file is the matter of whoever reads the table. */
  private def read(file: FileStatus): FootersSay =
    try
      Using.resource(OpenFile(file.getPath, conf)) { open =>
        FootersSay(FileCounts.named(open.getFileMetaData), FileCounts.read(open.getFileMetaData))
      }
    catch { case _: ShreddedVariantException | _: FileNotFoundException => FootersSay.nothing }
}

private object Pinning {

  /** Footers that are read at once, and at most, before a write. */
  val Portion = 64
  val MaxFiles = 1024
  val Threads = 8
}

/** What footers say of columns: the shapes that writes named, and counts. */
private final case class FootersSay(named: Map[Seq[String], Shape], counts: Map[Seq[String], Counts]) {
  def isEmpty: Boolean = named.isEmpty && counts.isEmpty

  def of(columns: Set[Seq[String]]): FootersSay =
    FootersSay(named.filter(c => columns(c._1)), counts.filter(c => columns(c._1)))

  def knows(column: Seq[String], rows: Long): Boolean =
    named.contains(column) || counts.get(column).exists(_.values >= rows)

  /** The first named shape holds; counts add up. */
  def and(later: FootersSay): FootersSay = {
    val more = later.counts.filterNot { case (path, added) =>
      counts.get(path).map(_.merge(added)).isDefined
    }
    FootersSay(later.named ++ named, counts ++ more)
  }
}

private object FootersSay {
  val nothing: FootersSay = FootersSay(Map.empty, Map.empty)
}
