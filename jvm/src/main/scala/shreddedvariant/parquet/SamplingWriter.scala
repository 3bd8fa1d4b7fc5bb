/**
 * Writes a file whose shapes its first rows decide: holds copies of rows until there are enough, counts their variants
 * and the keys of their maps, infers the shapes of all columns together and the hot keys of each map, opens the file, and
 * goes on as an ordinary writer.
 */
package shreddedvariant.parquet

import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.{DataType, MapType, StructType, VariantType}
import shreddedvariant.Errors
import shreddedvariant.binary.MalformedVariant
import shreddedvariant.infer.{Counts, Inference, Limits}
import shreddedvariant.layout.Shape
import shreddedvariant.maps.{HotMaps, KeyCounts, KeyLimits}

/** `open` makes the writer of the file, given the job that was decided on and the counts of the rows held so far. */
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

  // Spark hands over rows that it uses again; some plans give rows of objects, whose size nobody knows.
  private lazy val compact = UnsafeProjection.create(schema)

  def write(row: InternalRow): Unit =
    if (file != null) file.write(row)
    else
      orFail {
        val copy = row match {
          case unsafe: UnsafeRow => unsafe.copy()
          case other => compact(other).copy()
        }
        held.add(copy)
        heldBytes += copy.getSizeInBytes
        columns.foreach(_.add(copy))
        maps.foreach(_.add(copy))
        if (held.size >= job.sample.rows || heldBytes >= job.sample.bytes) decide()
      }

  /** A file that has fewer rows than a sample decides by what it has; after a failure there is no file. */
  override def close(): Unit =
    try if (file == null && !failed) orFail(decide())
    finally if (file != null) file.close()

  /** Of the file that is closed. */
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

/** What is counted of a file's variants and maps, and for how many of its first rows that is done already. */
final case class ColumnCounts(counts: Map[Seq[String], Counts], maps: Seq[SampledMap], counted: Int)

object ColumnCounts {
  val none: ColumnCounts = ColumnCounts(Map.empty, Nil, 0)
}

/** A variant column that is looked for in rows of the schema. */
private final class SampledColumn(
    val path: Seq[String],
    val limits: Limits,
    schema: StructType
) {
  val counts = new Counts
  private val place = new SampledPlace(path, schema)
  assert(place.dataType == VariantType)

  def add(row: InternalRow): Unit = {
    val struct = place.struct(row)
    if (struct == null) counts.addNull()
    else {
      val variant = struct.getVariant(place.ordinal)
      try counts.add(variant.getMetadata, variant.getValue)
      catch { case e: MalformedVariant => throw Errors.malformedValue(path.mkString("."), e.reason) }
    }
  }
}

/** A map column whose hot keys are looked for. */
final class SampledMap(val path: Seq[String], limits: KeyLimits, schema: StructType) {
  private val place = new SampledPlace(path, schema)
  private val values = place.dataType.asInstanceOf[MapType].valueType
  private val counts = new KeyCounts

  def add(row: InternalRow): Unit = {
    val struct = place.struct(row)
    if (struct != null) counts.add(struct.getMap(place.ordinal), values)
  }

  def hot: Seq[String] = counts.hot(limits)

  /** What is worth being remembered by the file, in no more than so many bytes. */
  def nearest(mostBytes: Int): KeyCounts = counts.nearest(limits, mostBytes)
}

/** Where a column stands in rows of the schema. */
private final class SampledPlace(path: Seq[String], schema: StructType) {

  // The place of each name of the path in its struct, and how many fields that struct has.
  private val structs = path.init.scanLeft(schema) { (struct, name) =>
    struct(name).dataType.asInstanceOf[StructType]
  }
  private val ordinals = structs.zip(path).map { case (struct, name) => struct.fieldIndex(name) }.toArray
  private val sizes = structs.map(_.size).toArray

  val dataType: DataType = structs.last(path.last).dataType
  val ordinal: Int = ordinals.last

  /** The struct that has the column in a row, the row itself where that is in none; null where the column is NULL. */
  def struct(row: InternalRow): InternalRow = {
    var struct = row
    var i = 0
    while (i < ordinals.length - 1 && struct != null) {
      struct = if (struct.isNullAt(ordinals(i))) null else struct.getStruct(ordinals(i), sizes(i + 1))
      i += 1
    }
    if (struct == null || struct.isNullAt(ordinal)) null else struct
  }
}
