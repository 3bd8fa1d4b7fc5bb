/** Writes and reads Parquet files of one variant column without a Spark session. */
package shreddedvariant

import java.nio.file.{Files, Path => LocalPath}
import java.util.UUID

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.{ParquetFileReader, ParquetOutputFormat}
import org.apache.parquet.hadoop.metadata.{CompressionCodecName, FileMetaData}
import org.apache.parquet.io.LocalInputFile
import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.datasources.parquet.ParquetWriteSupport
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{StructField, StructType, VariantType}
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.VariantVal
import shreddedvariant.layout.{PathColumn, PathResult, Shape, WriteLayout}
import shreddedvariant.parquet.bind.{ReadJob, RebaseModes, TypeMapping}
import shreddedvariant.parquet.read.{BatchReader, ReadCounts}
import shreddedvariant.parquet.vector.VariantLimits
import shreddedvariant.parquet.write.{FileWriter, WriteJob}
import shreddedvariant.stats.Predicate

object VariantFile {
  type Bytes = (Array[Byte], Array[Byte])

  private val schema = new StructType().add("v", VariantType)

  /** The configuration that Spark's own write support needs. */
  def conf(schema: StructType): Configuration = {
    val conf = new Configuration(false)
    conf.set(ParquetWriteSupport.SPARK_ROW_SCHEMA, schema.json)
    conf.set(SQLConf.PARQUET_WRITE_LEGACY_FORMAT.key, "false")
    conf.set(SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE.key, "TIMESTAMP_MICROS")
    conf.set(SQLConf.PARQUET_FIELD_ID_WRITE_ENABLED.key, "false")
    conf.set(SQLConf.LEGACY_PARQUET_NANOS_AS_LONG.key, "false")
    conf.set(SQLConf.PARQUET_ANNOTATE_VARIANT_LOGICAL_TYPE.key, "true")
    conf
  }

  /** Rows are pairs of metadata and value, or null; `v` has the given shape. */
  def write(
      file: LocalPath,
      rows: Seq[Bytes],
      shape: Shape,
      rowGroupSize: Long = 1 << 20,
      layout: WriteLayout = WriteLayout.Parquet,
      rowsOfGroup: Int = Int.MaxValue,
      codec: CompressionCodecName = CompressionCodecName.UNCOMPRESSED,
      rowsOfPage: Int = 20000
  ): Unit = {
    val settings = conf(schema)
    settings.set(ParquetOutputFormat.BLOCK_SIZE, rowGroupSize.toString)
    settings.setInt(ParquetOutputFormat.BLOCK_ROW_COUNT_LIMIT, rowsOfGroup)
    settings.setInt(ParquetOutputFormat.PAGE_ROW_COUNT_LIMIT, rowsOfPage)
    val job = WriteJob(Map(Seq("v") -> shape), layout = layout)
    val writer = new FileWriter(new Path(file.toUri), settings, codec, job)
    try rows.foreach { row =>
        writer.write(InternalRow(if (row == null) null else new VariantVal(row._2, row._1)))
      }
    finally writer.close()
  }

  def footer(file: LocalPath): FileMetaData = {
    val reader = ParquetFileReader.open(new LocalInputFile(file))
    try reader.getFooter.getFileMetaData
    finally reader.close()
  }

  def read(
      file: LocalPath,
      limits: VariantLimits = VariantLimits(1000, Int.MaxValue),
      batchSize: Int = 7
  ): Seq[Bytes] =
    column(file, job(limits, batchSize)) { (column, row) =>
      val v = column.getVariant(row)
      (v.getMetadata, v.getValue)
    }

  /** Each row as JSON, as `to_json` returns it. */
  def readJson(file: LocalPath, limits: VariantLimits = VariantLimits(1000, Int.MaxValue)): Seq[String] = {
    val path = PathColumn(Seq("v"), Nil, PathResult.Json("UTC"))
    val read = job(limits, 7).copy(
      columns = new StructType().add(path.name, path.wanted.dataType),
      paths = Map(path.name -> path)
    )
    column(file, read)((column, row) => column.getUTF8String(row).toString)
  }

  /** The paths of each row in the row groups that the predicate does not skip, and the counts of the read. */
  def readPaths(
      file: LocalPath,
      paths: Seq[PathColumn],
      predicate: Option[Predicate] = None
  ): (Seq[Seq[Any]], ReadCounts) = {
    val columns = StructType(paths.map(path => StructField(path.name, path.wanted.dataType)))
    val read = job(VariantLimits(1000, Int.MaxValue), 7).copy(
      columns = columns,
      paths = paths.map(path => path.name -> path).toMap,
      predicate = predicate
    )
    val counts = new ReadCounts
    val reader = new BatchReader(splitOf(file), read, new Configuration(false), counts)
    try {
      val rows = Seq.newBuilder[Seq[Any]]
      while (reader.next()) {
        val batch = reader.get()
        for (i <- 0 until batch.numRows)
          rows += columns.fields.toSeq.zipWithIndex.map { case (field, c) =>
            val row = batch.getRow(i)
            if (row.isNullAt(c)) null else InternalRow.copyValue(row.get(c, field.dataType))
          }
      }
      (rows.result(), counts)
    } finally reader.close()
  }

  private def splitOf(file: LocalPath) =
    PartitionedFile(InternalRow.empty, SparkPath.fromPathString(file.toUri.toString), 0, Files.size(file))

  private def column[A](file: LocalPath, job: ReadJob)(value: (ColumnVector, Int) => A): Seq[A] = {
    val reader = new BatchReader(splitOf(file), job, new Configuration(false))
    try {
      val rows = Seq.newBuilder[A]
      while (reader.next()) {
        val column = reader.get().column(0)
        for (i <- 0 until reader.get().numRows)
          rows += (if (column.isNullAt(i)) null.asInstanceOf[A] else value(column, i))
      }
      rows.result()
    } finally reader.close()
  }

  private def job(limits: VariantLimits, batchSize: Int) = ReadJob(
    id = UUID.randomUUID.toString,
    columns = schema,
    paths = Map.empty,
    partitions = new StructType,
    limits = limits,
    rebasing = RebaseModes("CORRECTED", "CORRECTED", convertInt96 = false, "UTC"),
    types = TypeMapping(false, true, true, false, false),
    caseSensitive = false,
    batchSize = batchSize,
    offHeap = false
  )

  def withFile[A](body: LocalPath => A): A = {
    val dir = Files.createTempDirectory("shredded-variant")
    try body(dir.resolve("rows.parquet"))
    finally { Files.list(dir).forEach(f => Files.delete(f)); Files.delete(dir) }
  }
}
