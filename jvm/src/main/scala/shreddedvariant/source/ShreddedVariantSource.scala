/**
 * The format `shredded_variant`: one class that is both Spark's table provider and its V1 file format.
 *
 * `load` and `save` use the table provider; its tables leave writes to a path to Spark's V1 commit. Streams,
 * and SQL over paths in sessions that get the jar after their start, use the file format directly. Both use the
 * same readers and writers.
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
  // Before a plan with this format is optimised: Spark makes an instance for each, even if it needs no table.
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
    val replaced = MaintenanceTables.of(table)
    inferred = replaced.orElse(Some(table))
    replaced.fold(table.files.schema)(MaintenanceTables.schema)
  }

  private var isReadOrStream = false

  /**
   * Spark calls this for reads and for streams, and not for writes of batches; also for paths that do not exist
   * yet; for tables of a catalog, after `inferSchema`.
   */
  override def inferPartitioning(options: CaseInsensitiveStringMap): Array[Transform] = {
    isReadOrStream = true
    inferred match {
      case Some(table: ShreddedVariantTable) if table.files.catalog.isDefined => table.partitioning
      case _ => Array.empty
    }
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
        // A stream of files asks nothing else of the table before it starts.
        if (isReadOrStream) table.files.checkAbove()
        table
      }
  }

  // ---- sinks of streams ----

  /** Spark's own file sink, or the sink of this source for Delta tables. */
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

  /** The options with the case of the keys as the user wrote them: Delta properties are case sensitive. */
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
