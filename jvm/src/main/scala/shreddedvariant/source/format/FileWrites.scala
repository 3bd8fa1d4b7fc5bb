/** Prepares a job to write files: Parquet's settings in its configuration, and what opens a file. */
package shreddedvariant.source.format

import org.apache.hadoop.mapreduce.Job
import org.apache.parquet.hadoop.util.ContextUtil
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.execution.datasources.parquet.{ParquetOptions, ParquetUtils, ParquetWriteSupport}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import shreddedvariant.{Options, SparkBridge}
import shreddedvariant.parquet.write.{ShreddedOutputWriterFactory, WriteJob}
import shreddedvariant.source.options.SourceOptions

object FileWrites {
  def prepare(
      spark: SparkSession,
      job: Job,
      options: Map[String, String],
      dataSchema: StructType,
      write: => WriteJob
  ): ShreddedOutputWriterFactory = {
    val sqlConf = spark.sessionState.conf
    val conf = ContextUtil.getConfiguration(job)
    val parquet = CaseInsensitiveMap(Map(Options.Compression -> SourceOptions.codec(options)) ++ options)
    // What is NULL nowhere in one write may be in the next, and their files are to be alike.
    val columns = SparkBridge.asNullable(dataSchema)
    // Spark sets the version where nobody did.
    val isVersionGiven = WriteJob.isVersionGiven(conf)
    ParquetUtils.prepareWrite(sqlConf, job, columns, new ParquetOptions(parquet, sqlConf))
    // Spark writes whole variants, in groups that we can tell by their annotation; the shredding is ours.
    conf.unset(ParquetWriteSupport.SPARK_VARIANT_SHREDDING_SCHEMA)
    conf.setBoolean(SQLConf.PARQUET_ANNOTATE_VARIANT_LOGICAL_TYPE.key, true)
    val decided = write.copy(withDifferences = !isVersionGiven)
    new ShreddedOutputWriterFactory(
      if (decided.isDecided) decided else decided.copy(cuts = Some(CutColumns.register(spark)))
    )
  }
}
