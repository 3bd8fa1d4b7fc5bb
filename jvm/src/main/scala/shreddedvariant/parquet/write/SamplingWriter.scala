/**
 * Writes a file with shapes and hot keys that are inferred from its first rows, the sample.
 *
 * Holds copies of rows until the sample is complete, and counts their variants and the keys of their maps. Then
 * infers the shapes of all columns together and the hot keys of each map, opens the file, and writes the held
 * and all later rows.
 */
package shreddedvariant.parquet.write

import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.StructType
import shreddedvariant.infer.Inference
import shreddedvariant.layout.Shape
import shreddedvariant.maps.HotMaps

/** `open` creates the writer of the file from the job with the inferred shapes and the counts of the sample. */
final class SamplingWriter(schema: StructType, job: WriteJob, open: (WriteJob, ColumnCounts) => FileWriter)
    extends AutoCloseable {
  private val columns = job.limits.toSeq.sortBy(_._1.mkString(".")).map { case (path, limits) =>
    new SampledColumn(path, limits, schema)
  }
  private val maps = job.mapLimits.toSeq.sortBy(_._1.mkString(".")).map { case (path, limits) =>
    new SampledMap(path, limits, schema)
  }
  private val held = new java.util.ArrayDeque[UnsafeRow]
  private var heldBytes = 0L
  private var file: FileWriter = _
  private var failed = false

  // Spark reuses rows, so they are copied. Rows of objects, whose size is unknown, are converted.
  private lazy val toUnsafe = UnsafeProjection.create(schema)

  def write(row: InternalRow): Unit =
    if (file != null) file.write(row)
    else
      orFail {
        val copy = row match {
          case unsafe: UnsafeRow => unsafe.copy()
          case other => toUnsafe(other).copy()
        }
        held.add(copy)
        heldBytes += copy.getSizeInBytes
        columns.foreach(_.add(copy))
        maps.foreach(_.add(copy))
        if (held.size >= job.sample.rows || heldBytes >= job.sample.bytes) decide()
      }

  /** A file with fewer rows than the sample is decided here. After a failure no file is opened. */
  override def close(): Unit =
    try if (file == null && !failed) orFail(decide())
    finally if (file != null) file.close()

  /** The footer, available after `close`. */
  def footer: ParquetMetadata = file.footer

  private def decide(): Unit = {
    val inferred = Inference.infer(columns.map(column => column.counts -> column.limits))
    val shapes = columns.map(_.path).zip(inferred.map(_.shape)).filter(_._2 != Shape.Untyped)
    val counts = ColumnCounts(columns.map(column => column.path -> column.counts).toMap, maps, held.size)
    val hot = HotMaps(job.maps.keys ++ maps.map(map => map.path -> map.hot))
    file = open(job.copy(shapes = job.shapes ++ shapes, maps = hot), counts)
    while (!held.isEmpty) file.write(held.poll())
    heldBytes = 0
  }

  private def orFail(body: => Unit): Unit =
    try body
    catch {
      case e: Throwable =>
        failed = true
        throw e
    }
}
