/**
 * The format `shredded_variant`: one class that is Spark's provider of tables and its V1 file format.
 *
 * `load` and `save` meet the provider. Its tables leave path writes to V1, whose commit Spark has had for years; streams
 * and path SQL meet the file format directly. Both read and write through the same readers and writers.
 */
package shreddedvariant.source

import java.util

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SQLContext
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.connector.catalog.{SessionConfigSupport, Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.execution.streaming.Sink
import org.apache.spark.sql.execution.streaming.sinks.FileStreamSink
import org.apache.spark.sql.sources.{DataSourceRegister, StreamSinkProvider}
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import shreddedvariant.{Errors, Options, SparkBridge, SparkVersion}
import shreddedvariant.delta.DeltaLog
import shreddedvariant.source.delta.DeltaStreamSink
import shreddedvariant.source.format.ShreddedVariantFormat
import shreddedvariant.source.options.SourceOptions
import shreddedvariant.source.table.{CatalogEntry, DeltaPathCheck}

class ShreddedVariantSource
    extends ShreddedVariantFormat
    with TableProvider
    with DataSourceRegister
    with SessionConfigSupport
    with StreamSinkProvider {
  SparkVersion.check()
  // Before any plan of the format is optimised: this is made for each, and some ask it for no table.
  LateRules.install()

  override def shortName(): String = "shredded_variant"
  override def keyPrefix(): String = "shredded_variant"

  // ---- provider ----

  private var inferred: Option[Table] = None

  override def supportsExternalMetadata(): Boolean = true

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = {
    val all = options.asCaseSensitiveMap.asScala.toMap
    val table =
      if (CatalogEntry.isOne(all)) ShreddedVariantTable.ofCatalog(all, None, Nil)
      else ShreddedVariantTable.of(options, None)
    val asked = MaintenanceTables.of(table)
    inferred = asked.orElse(Some(table))
    asked.fold(table.files.schema)(MaintenanceTables.schema)
  }

  /** Asked also of paths that do not exist yet; of a catalog's after their schema. */
  override def inferPartitioning(options: CaseInsensitiveStringMap): Array[Transform] =
    inferred match {
      case Some(table: ShreddedVariantTable) if table.files.catalog.isDefined => table.partitioning
      case _ => Array.empty
    }

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: util.Map[String, String]
  ): Table = {
    val all = properties.asScala.toMap
    if (CatalogEntry.isOne(all)) ShreddedVariantTable.ofCatalog(all, Some(schema), partitioning.toSeq)
    else
      inferred.getOrElse {
        val table = ShreddedVariantTable.of(new CaseInsensitiveStringMap(properties), Some(schema))
        MaintenanceTables.checkSchema(table)
        table
      }
  }

  // ---- sinks of streams ----

  /** Spark's own sink of files, or ours of Delta tables. */
  override def createSink(
      context: SQLContext,
      parameters: Map[String, String],
      partitionColumns: Seq[String],
      mode: OutputMode
  ): Sink = {
    val path = new Path(Options.get(parameters, "path").getOrElse(throw Errors.noPath()))
    val hadoop = context.sparkSession.sessionState.newHadoopConfWithOptions(parameters)
    if (DeltaLog.isTable(path, hadoop) || Options.isDelta(SourceOptions.withDefaults(parameters).all))
      new DeltaStreamSink(path, asWritten(parameters), partitionColumns, mode, hadoop)
    else fileSink(context, path, parameters, partitionColumns, mode, hadoop)
  }

  /** Properties of a table are spelled as the user has spelled them. */
  private def asWritten(options: Map[String, String]) = options match {
    case lower: CaseInsensitiveMap[String @unchecked] => lower.originalMap
    case other => other
  }

  private def fileSink(
      context: SQLContext,
      path: Path,
      parameters: Map[String, String],
      partitionColumns: Seq[String],
      mode: OutputMode,
      hadoop: Configuration
  ): Sink = {
    DeltaPathCheck.checkAbove(path, hadoop)
    if (mode != OutputMode.Append()) throw SparkBridge.unsupportedOutputMode(shortName(), mode)
    val qualified = path.getFileSystem(hadoop).makeQualified(path).toString
    new FileStreamSink(context.sparkSession, qualified, this, partitionColumns, parameters)
  }
}
