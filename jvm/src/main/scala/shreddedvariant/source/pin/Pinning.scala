/**
 * Gives the columns of a write the shapes that their table keeps, and lets the table keep those that it lacks. What a shape
 * is to a variant, its hot keys are to a map.
 *
 * A column's pin is its first shape: the one that an earlier write named, or else the one that is inferred from what the
 * files of the table say they hold, as soon as that is enough. So files of the first write may differ from each other,
 * and those of all later writes are alike. A write that names another shape has it for itself, and the pin stays.
 *
 * Commits of path writes and of streams bring no messages of ours. So this is decided before a write, in the driver,
 * from the footers of earlier ones; a write that fails leaves nothing behind that others would follow.
 */
package shreddedvariant.source.pin

import java.io.FileNotFoundException
import java.util.concurrent.{Callable, Executors}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.internal.Logging
import shreddedvariant.{Errors, Options, ShreddedVariantException}
import shreddedvariant.infer.Inference
import shreddedvariant.layout.Shape
import shreddedvariant.maps.HotMaps
import shreddedvariant.parquet.file.OpenFile
import shreddedvariant.parquet.write.{FileCounts, WriteJob}
import shreddedvariant.source.options.WriteMarks

final class Pinning(place: PinPlace, conf: Configuration, options: Map[String, String]) extends Logging {
  private val minRows = Options.pinMinRows(options)

  /** A table that is replaced as a whole starts anew: its directory goes, and the pins with it. */
  def apply(job: WriteJob): WriteJob =
    if (Options.isUnpinned(options) || options.contains(WriteMarks.Replaces) || job.isDecided) job
    else {
      val pins = place.read()
      val first =
        firstShapes(job, job.limits.keySet -- pins.columns.keys ++ (job.mapLimits.keySet -- pins.maps.keys))
      reuse(job, if (first.isEmpty) pins else place.add(first))
    }

  /** Columns that are to be inferred take their pins; one that is pinned without a shape is written unshredded. */
  private def reuse(job: WriteJob, pins: Pins): WriteJob = {
    val pinned = pins.columns.collect { case (path, pin) if job.limits.contains(path) => path -> pin.shape }
    val hot = for ((path, pin) <- pins.maps; limits <- job.mapLimits.get(path))
      yield path -> (pin.keys ++ limits.always.diff(pin.keys))
    job.copy(
      shapes = job.shapes ++ pinned.filter(_._2 != Shape.Untyped),
      limits = job.limits -- pinned.keys,
      maps = HotMaps(job.maps.keys ++ hot),
      mapLimits = job.mapLimits -- hot.keys
    )
  }

  private def firstShapes(job: WriteJob, open: Set[Seq[String]]): Pins =
    if (open.isEmpty) Pins.none
    else {
      val found = new PinEvidence(read, minRows).of(place.files, open)
      val known = (found.counts -- found.shapes.keys).filter(_._2.values >= minRows)
        .toSeq.sortBy(_._1.mkString("."))
      val shapes = Inference.infer(known.map { case (path, counts) => counts -> job.limits(path) })
      val counted = found.keyCounts -- found.hotKeys.keys
      val cut = known.collect { case (path, counts) if counts.isCut => path } ++
        counted.collect { case (path, counts) if counts.isCut && counts.maps >= minRows => path }
      cut.foreach(path => logWarning(Errors.pathsLeftOut(path.map(Shape.quoted).mkString("."))))
      val inferred = known.zip(shapes).map { case ((path, counts), inferred) =>
        path -> Pin(inferred.shape, Some(counts.values))
      }
      val keys = for ((path, counts) <- counted if counts.maps >= minRows)
        yield path -> PinnedKeys(counts.hot(job.mapLimits(path)), Some(counts.maps))
      Pins(
        inferred.toMap ++ found.shapes.map { case (path, shape) => path -> Pin(shape, None) },
        keys ++ found.hotKeys.map { case (path, keys) => path -> PinnedKeys(keys, None) }
      )
    }

  private def read(portion: Seq[FileStatus]): Seq[FileCounts] = {
    val pool = Executors.newFixedThreadPool(math.min(portion.size, Pinning.Threads))
    try {
      val reads = portion.map(file => (() => read(file)): Callable[FileCounts])
      pool.invokeAll(reads.asJava).asScala.toSeq.map(_.get)
    } finally pool.shutdown()
  }

  /** What is no Parquet file is the matter of whoever reads the table. */
  private def read(file: FileStatus): FileCounts =
    try Using.resource(OpenFile(file.getPath, conf))(open => FileCounts.read(open.getFileMetaData))
    catch { case _: ShreddedVariantException | _: FileNotFoundException => FileCounts.nothing }
}

private object Pinning {

  /** Footers that are read at the same time. */
  val Threads = 8
}
