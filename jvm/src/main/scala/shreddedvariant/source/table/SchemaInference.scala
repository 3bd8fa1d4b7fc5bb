/** The schema of a set of files: the schema of the first readable file, or with `mergeSchema` of all files. */
package shreddedvariant.source.table

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.FileSourceOptions
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.execution.datasources.SchemaMergeUtils
import org.apache.spark.sql.execution.datasources.parquet.ParquetOptions
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import shreddedvariant.{Errors, ShreddedVariantException}
import shreddedvariant.parquet.bind.TypeMapping
import shreddedvariant.parquet.file.FooterSchema

object SchemaInference {
  def infer(spark: SparkSession, options: Map[String, String], files: Seq[FileStatus]): Option[StructType] = {
    val sqlConf = spark.sessionState.conf
    val data = files.filterNot(_.getPath.getName.startsWith("_")).sortBy(_.getPath.toString)
    if (new ParquetOptions(CaseInsensitiveMap(options), sqlConf).mergeSchema)
      SchemaMergeUtils.mergeSchemasInParallel(spark, options, data, reader(sqlConf))
    else {
      val ignoreCorrupt = new FileSourceOptions(CaseInsensitiveMap(options)).ignoreCorruptFiles
      val conf = spark.sessionState.newHadoopConfWithOptions(options)
      data.iterator.flatMap(file => reader(sqlConf)(Seq(file), conf, ignoreCorrupt, false)).nextOption()
    }
  }

  private def reader(sqlConf: SQLConf)
      : (Seq[FileStatus], Configuration, Boolean, Boolean) => Seq[StructType] = {
    val types = TypeMapping.of(sqlConf)
    val caseSensitive = sqlConf.caseSensitiveAnalysis
    (files, conf, ignoreCorrupt, ignoreMissing) => {
      val converter = types.converter(caseSensitive)
      files.flatMap { file =>
        try Some(FooterSchema.read(file.getPath, conf, converter))
        catch {
          // A file with types that Spark lacks is not damaged.
          case e: ShreddedVariantException if ignoreCorrupt && !Errors.isOfTypes(e) => None
          case _: java.io.FileNotFoundException if ignoreMissing => None
        }
      }
    }
  }
}
