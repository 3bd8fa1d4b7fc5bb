/** Makes the job of a read from the options and the settings of the session. */
package shreddedvariant.source.scan

import java.util.UUID

import org.apache.spark.TaskContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.execution.datasources.parquet.ParquetOptions
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SerializableConfiguration
import shreddedvariant.Options
import shreddedvariant.layout.PathColumn
import shreddedvariant.parquet.bind.{ReadJob, RebaseModes, TypeMapping}
import shreddedvariant.parquet.vector.VariantLimits
import shreddedvariant.source.options.MapColumns

object ReadJobs {

  /** The job with the stage in its id: a plan may run several times, in other stages and over other files. */
  def running(job: ReadJob): ReadJob =
    Option(TaskContext.get()).fold(job)(task => job.copy(id = s"${job.id} ${task.stageId()}"))

  def create(
      spark: SparkSession,
      options: Map[String, String],
      columns: StructType,
      paths: Map[String, PathColumn],
      partitions: StructType
  ): ReadJob = {
    val sqlConf = spark.sessionState.conf
    val parquet = new ParquetOptions(CaseInsensitiveMap(options), sqlConf)
    ReadJob(
      id = UUID.randomUUID.toString,
      columns = columns,
      paths = paths,
      partitions = partitions,
      limits = VariantLimits(Options.maxVariantDepth(options), Options.maxVariantBytes(options)),
      rebasing = RebaseModes(
        datetime = parquet.datetimeRebaseModeInRead,
        int96 = parquet.int96RebaseModeInRead,
        convertInt96 = sqlConf.isParquetINT96TimestampConversion,
        sessionZone = sqlConf.sessionLocalTimeZone
      ),
      types = TypeMapping.of(sqlConf),
      caseSensitive = sqlConf.caseSensitiveAnalysis,
      batchSize = sqlConf.parquetVectorizedReaderBatchSize,
      offHeap = sqlConf.offHeapColumnVectorEnabled,
      hotKeys = MapColumns.named(options)
    )
  }

  def hadoopConf(spark: SparkSession, options: Map[String, String]): Broadcast[SerializableConfiguration] =
    spark.sparkContext.broadcast(
      new SerializableConfiguration(spark.sessionState.newHadoopConfWithOptions(options))
    )
}
