/** Prepares a job that writes files: sets Parquet's configuration and makes the factory of its writers. */
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

/** What Spark passes to a format for one write. */
final case class FileWrites(
    spark: SparkSession,
    job: Job,
    options: Map[String, String],
    dataSchema: StructType
) {
  def prepare(write: => WriteJob): ShreddedOutputWriterFactory = {
    val sqlConf = spark.sessionState.conf
    val conf = ContextUtil.getConfiguration(job)
    val parquet = CaseInsensitiveMap(Map(Options.Compression -> SourceOptions.codec(options)) ++ options)
    // Nullable columns, so that the files of all writes have the same schema.
    val columns = SparkBridge.asNullable(dataSchema)
    // Checked before `prepareWrite`, which sets a default version.
    val isVersionGiven = WriteJob.isVersionGiven(conf)
    ParquetUtils.prepareWrite(sqlConf, job, columns, new ParquetOptions(parquet, sqlConf))
    // Spark gives the schema of unshredded variants, as annotated groups; this source shreds them itself.
    conf.unset(ParquetWriteSupport.SPARK_VARIANT_SHREDDING_SCHEMA)
    conf.setBoolean(SQLConf.PARQUET_ANNOTATE_VARIANT_LOGICAL_TYPE.key, true)
    val writeJob = write.copy(withDifferences = !isVersionGiven)
    new ShreddedOutputWriterFactory(
      if (writeJob.isDecided) writeJob else writeJob.copy(cuts = Some(CutColumns.register(spark)))
    )
  }
}
