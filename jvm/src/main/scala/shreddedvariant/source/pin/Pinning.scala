/**
 * Applies the pinned shapes of a table to a write, and pins shapes of columns without a pin. Hot keys of maps
 * are pinned in the same way as shapes of variants.
 *
 * The pin of a column is its first shape: the shape that an earlier write named, or else the shape that is
 * inferred from the counts in the footers of the table's files, once they cover enough rows. So files of the
 * first write may differ in shape, and files of all later writes have the same shape. A write that names
 * another shape uses that shape for itself only; the pin stays.
 *
 * Commits of path writes and of streams carry no messages of this source. So pins are made before a write, in
 * the driver, from the footers of earlier writes; a write that fails adds no counts to the table.
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

  /** A write that replaces the whole table ignores pins: Spark removes the directory and the pins in it. */
  def apply(job: WriteJob): WriteJob =
    if (Options.isUnpinned(options) || options.contains(WriteMarks.Replaces) || job.isDecided) job
    else {
      val pins = place.read()
      val missing =
        firstShapes(job, job.limits.keySet -- pins.columns.keys ++ (job.mapLimits.keySet -- pins.maps.keys))
      reuse(job, if (missing.isEmpty) pins else place.add(missing))
    }

  /** Columns to be inferred get their pins; a column with the pin `VARIANT` is written unshredded. */
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

  private def firstShapes(job: WriteJob, unpinned: Set[Seq[String]]): Pins =
    if (unpinned.isEmpty) Pins.none
    else {
      val evidence = new PinEvidence(read, minRows).of(place.files, unpinned)
      val variantCounts = (evidence.counts -- evidence.shapes.keys).filter(_._2.values >= minRows)
        .toSeq.sortBy(_._1.mkString("."))
      val shapes = Inference.infer(variantCounts.map { case (path, counts) => counts -> job.limits(path) })
      val keyCounts = evidence.keyCounts -- evidence.hotKeys.keys
      val cut = variantCounts.collect { case (path, counts) if counts.isCut => path } ++
        keyCounts.collect { case (path, counts) if counts.isCut && counts.maps >= minRows => path }
      cut.foreach(path => logWarning(Errors.pathsLeftOut(path.map(Shape.quoted).mkString("."))))
      val inferred = variantCounts.zip(shapes).map { case ((path, counts), inferred) =>
        path -> Pin(inferred.shape, Some(counts.values))
      }
      val keys = for ((path, counts) <- keyCounts if counts.maps >= minRows)
        yield path -> PinnedKeys(counts.hot(job.mapLimits(path)), Some(counts.maps))
      Pins(
        inferred.toMap ++ evidence.shapes.map { case (path, shape) => path -> Pin(shape, None) },
        keys ++ evidence.hotKeys.map { case (path, keys) => path -> PinnedKeys(keys, None) }
      )
    }

  private def read(batch: Seq[FileStatus]): Seq[FileCounts] = {
    val pool = Executors.newFixedThreadPool(math.min(batch.size, Pinning.Threads))
    try {
      val reads = batch.map(file => (() => read(file)): Callable[FileCounts])
      pool.invokeAll(reads.asJava).asScala.toSeq.map(_.get)
    } finally pool.shutdown()
  }

  /** A file that is missing or damaged has no counts; reads of the table report such a file. */
  private def read(file: FileStatus): FileCounts =
    try Using.resource(OpenFile(file.getPath, conf))(open => FileCounts.read(open.getFileMetaData))
    catch { case _: ShreddedVariantException | _: FileNotFoundException => FileCounts.nothing }
}

private object Pinning {

  /** The number of footers that are read at the same time. */
  val Threads = 8
}
