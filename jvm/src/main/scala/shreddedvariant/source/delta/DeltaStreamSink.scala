/**
 * Writes a stream to a Delta table: each micro-batch is one commit, with the id of the query and the number of
 * the batch. A batch that is already in the table, because the query stopped between commit and checkpoint,
 * writes nothing.
 */
package shreddedvariant.source.delta

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{DataFrame, SaveMode}
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, RuntimeReplaceable}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan, Project}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{ProjectExec, QueryExecution, SparkPlan}
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand
import org.apache.spark.sql.execution.streaming.Sink
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution
import org.apache.spark.sql.streaming.OutputMode
import shreddedvariant.{Errors, Options, SharedFile, ShreddedVariantException, SparkBridge}
import shreddedvariant.delta.{DeltaLog, DeltaTransaction, StreamBatch}
import shreddedvariant.source.format.ShreddedVariantFormat
import shreddedvariant.source.table.DeltaPathCheck

final class DeltaStreamSink(
    path: Path,
    options: Map[String, String],
    partitionBy: Seq[String],
    outputMode: OutputMode,
    conf: Configuration
) extends Sink {
  private val mode =
    if (outputMode == OutputMode.Append()) SaveMode.Append
    else if (outputMode == OutputMode.Complete()) SaveMode.Overwrite
    else throw SparkBridge.unsupportedOutputMode("shredded_variant", outputMode)

  if (Options.get(options, Options.ReplaceWhere).isDefined)
    throw Errors.deltaOption(path.toString, Options.ReplaceWhere, "it chooses what one batch write replaces")

  override def addBatch(id: Long, data: DataFrame): Unit = {
    val spark = data.sparkSession.asInstanceOf[SparkSession]
    val batch = StreamBatch(spark.sparkContext.getLocalProperty(StreamExecution.QUERY_ID_KEY), id)
    val query = data.queryExecution
    if (!DeltaLog.isCommitted(path, conf)) create(plan(query))
    val command = plan(query)
    if (!command.target.snapshot.exists(_.has(batch)))
      command.copy(batch = Some(batch)).run(spark, physical(command, query))
    ()
  }

  /** Creates the table in a commit of its own, so that several streams can start to write it at once. */
  private def create(command: DeltaWriteCommand): Unit = {
    SharedFile.check(path, conf, command.options)
    DeltaPathCheck.checkAbove(path, conf)
    try {
      new DeltaTransaction(command.target, conf).append(
        Nil,
        SaveMode.ErrorIfExists.toString,
        readsTable = false
      )
      ()
    } catch { case _: ShreddedVariantException if DeltaLog.isCommitted(path, conf) => () }
  }

  /** The command of a batch write of the same columns. */
  private def plan(query: QueryExecution): DeltaWriteCommand = {
    val rows = LocalRelation(query.analyzed.output)
    val resolver = query.sparkSession.sessionState.conf.resolver
    val partitions = partitionBy.flatMap(name => rows.output.find(a => resolver(a.name, name)))
    val insert = InsertIntoHadoopFsRelationCommand(
      outputPath = path,
      staticPartitions = Map.empty,
      ifPartitionNotExists = false,
      partitionColumns = partitions,
      bucketSpec = None,
      fileFormat = new ShreddedVariantFormat,
      // In complete mode a batch has the whole result, and replaces the whole table.
      options = options.filterNot(_._1.equalsIgnoreCase("partitionOverwriteMode")) +
        ("partitionOverwriteMode" -> "static"),
      query = rows,
      mode = mode,
      catalogTable = None,
      fileIndex = None,
      outputColumnNames = rows.output.map(_.name)
    )
    new DeltaWritePlan(insert, conf, Some(query.analyzed)).command
  }

  /** The projections of the write over Spark's plan of the batch, whose columns have other expression ids. */
  private def physical(command: DeltaWriteCommand, query: QueryExecution): SparkPlan = {
    val rows = query.executedPlan
    val ids = query.analyzed.output.map(_.exprId).zip(rows.output).toMap
    def over(plan: LogicalPlan): SparkPlan = plan match {
      case Project(columns, child) =>
        ProjectExec(columns, over(child)).transformExpressions {
          case replaced: RuntimeReplaceable => replaced.replacement
          case column: AttributeReference => ids.getOrElse(column.exprId, column)
        }
      case _ => rows
    }
    over(command.query)
  }

  override def toString: String = s"DeltaSink[$path]"
}
