/**
 * Plans writes to Delta tables: replaces Spark's V1 write of a directory in this format by a commit to the
 * table.
 *
 * The rule runs in the optimizer, because sessions that get the jar after their start can add rules only there.
 * The rule reads the snapshot of the table; the commit fails if a later change of the table makes the plan
 * invalid.
 */
package shreddedvariant.source.delta

import java.util.Locale

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{AnalysisException, SaveMode, SparkSession}
import org.apache.spark.sql.catalyst.analysis.TableOutputResolver
import org.apache.spark.sql.catalyst.QueryPlanningTracker
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Literal, RuntimeReplaceable, Unevaluable}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LocalRelation, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.datasources.{InsertIntoHadoopFsRelationCommand, WriteFiles}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.internal.SQLConf.PartitionOverwriteMode
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.{Errors, Options, SparkBridge}
import shreddedvariant.delta.{AsOf, DeltaLog, DeltaSnapshot, DeltaTarget}
import shreddedvariant.parquet.write.WriteJob
import shreddedvariant.source.format.FormatInsert
import shreddedvariant.source.maintain.Maintenance
import shreddedvariant.source.options.{VariantColumns, WriteMarks}
import shreddedvariant.source.table.{DeltaColumns, PartitionCondition}

object DeltaWrites extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case FormatInsert(insert) =>
      val conf = FormatInsert.hadoopConf(insert)
      if (Maintenance.of(insert.options).contains(Maintenance.Trust)) DeltaTrustCommand.of(insert, conf)
      // If the path exists, Spark's command does nothing in the other modes, or raises an error.
      else if (isDelta(insert, conf) && (isWritten(insert) || !exists(insert.outputPath, conf)))
        new DeltaWritePlan(insert, conf).command
      else plan
    case _ => plan
  }

  /** Whether a plan is a write of maintenance, which is checked when it becomes a commit. */
  def isRewrite(plan: LogicalPlan): Boolean = plan match {
    case FormatInsert(insert) => Maintenance.of(insert.options).isDefined
    case _ => false
  }

  def isDelta(insert: InsertIntoHadoopFsRelationCommand, conf: Configuration): Boolean =
    !WriteMarks.isOfFiles(insert.options) &&
      (DeltaLog.isTable(insert.outputPath, conf) || Options.isDelta(FormatInsert.options(insert).all))

  private def isWritten(insert: InsertIntoHadoopFsRelationCommand) =
    insert.mode == SaveMode.Append || insert.mode == SaveMode.Overwrite

  private def exists(path: Path, conf: Configuration) = path.getFileSystem(conf).exists(path)
}

private[source] final class DeltaWritePlan(
    insert: InsertIntoHadoopFsRelationCommand,
    conf: Configuration,
    streamed: Option[LogicalPlan] = None
) {
  private val root = insert.outputPath.getFileSystem(conf).makeQualified(insert.outputPath).toString
  private val settings = FormatInsert.options(insert)
  private val options = settings.all
  private val isOverwrite = insert.mode == SaveMode.Overwrite
  private val caseSensitive = SQLConf.get.caseSensitiveAnalysis

  // The query without the node that Spark plans around it for writes of files.
  private val query = insert.query match {
    case files: WriteFiles => files.child
    case other => other
  }

  /** The plan that the rows come from; the query of a micro-batch is planned without it. */
  private def source = streamed.getOrElse(query)
  private val data = {
    val columns = DataTypeUtils.fromAttributes(insert.outputColumns)
    SparkBridge.checkColumnNames(columns, caseSensitive)
    SparkBridge.asNullable(DeltaColumns.plain(columns))
  }
  private val partitionBy = insert.partitionColumns.map(_.name)

  /** The files that a write of maintenance replaces, and the snapshot that its query reads. */
  private lazy val rewrite: Option[DeltaRewrite] = Maintenance.of(insert.options).map {
    case Maintenance.Replace(operation) if isOverwrite => DeltaRewrite.of(operation, query, root)
    case _ =>
      throw Errors.maintenanceOption(Maintenance.Key, "only a write with mode(\"overwrite\") replaces files")
  }

  def command: DeltaWriteCommand = {
    checkOptions()
    val snapshot =
      if (rewrite.isDefined) rewrite.map(_.snapshot)
      else if (DeltaLog.isCommitted(insert.outputPath, conf))
        Some(DeltaLog.open(insert.outputPath, AsOf.Newest, conf))
      else None
    val target = snapshot.fold(created)(existing)
    DeltaWriteCommand(
      resolved(target),
      target,
      writeJob(target),
      replaced(target),
      insert.mode,
      options,
      readsTable(target),
      seen(target)
    )
  }

  private def checkOptions(): Unit = {
    if (insert.ifPartitionNotExists)
      throw Errors.notInThisVersion("IF NOT EXISTS for a partition of a Delta table", "leave it out")
    DeltaOptions.checkTable(root, options)
    for (key <- Options.versionKey(options))
      throw Errors.deltaOption(root, key, "it chooses a version to read")
    for (key <- Seq(Options.ReplaceWhere, Options.OverwriteSchema) if !isOverwrite && isSet(key))
      throw Errors.deltaOption(root, key, "it works with mode(\"overwrite\")")
  }

  private def isSet(key: String) = Options.get(options, key).exists(!_.equalsIgnoreCase("false"))

  // ---- the table ----

  private def created: DeltaTarget = {
    val directory = insert.outputPath
    val files = directory.getFileSystem(conf)
    if (files.exists(directory) && files.listStatus(directory).exists(f => !isHidden(f.getPath.getName)))
      throw Errors.deltaOverFiles(root)
    DeltaTarget.create(root, data, partitionBy.map(nameIn(data, _)), properties)
  }

  private def isHidden(name: String) = name.startsWith("_") || name.startsWith(".")

  private def existing(snapshot: DeltaSnapshot): DeltaTarget = {
    for ((key, value) <- properties if !snapshot.properties.get(key).contains(value))
      throw Errors.deltaOption(root, key, "properties are set when a table is created, or with ALTER TABLE")
    if (isOverwrite && isSet(Options.OverwriteSchema)) {
      val columns = if (partitionBy.isEmpty) snapshot.partitionColumns.filter(has(data, _)) else partitionBy
      changed(snapshot, data, columns.map(nameIn(data, _)))
    } else {
      if (partitionBy.nonEmpty && !isSame(partitionBy, snapshot.partitionColumns))
        throw Errors.deltaPartitioning(root, snapshot.partitionColumns, partitionBy)
      val grown = DeltaColumns.grown(snapshot.schema, data, caseSensitive)
      val added = DeltaColumns.added(snapshot.schema, grown)
      if (added.nonEmpty && !isSet(Options.MergeSchema)) throw Errors.deltaColumns(root, added)
      changed(snapshot, grown, snapshot.partitionColumns)
    }
  }

  private def changed(snapshot: DeltaSnapshot, schema: StructType, partitionColumns: Seq[String]) =
    if (schema == snapshot.schema && partitionColumns == snapshot.partitionColumns)
      DeltaTarget.existing(snapshot)
    else DeltaTarget.changed(snapshot, schema, partitionColumns)

  private def properties: Map[String, String] =
    settings.own.filter { case (key, _) => key.toLowerCase(Locale.ROOT).startsWith("delta.") }

  // ---- the written data ----

  private def resolved(target: DeltaTarget): LogicalPlan = {
    val named = Project(
      query.output.zip(insert.outputColumnNames).map { case (a, name) =>
        if (a.name == name) a else Alias(a, name)()
      },
      query
    )
    TableOutputResolver.resolveOutputColumns(
      target.root,
      DataTypeUtils.toAttributes(target.schema),
      named,
      byName = true,
      SQLConf.get,
      TableOutputResolver.DefaultValueFillMode.RECURSE
    )
  }

  private def writeJob(target: DeltaTarget): WriteJob = {
    val write = new VariantColumns(target.schema, caseSensitive).writeJob(settings)
    if (target.allowsShredding) write
    else {
      val shape = settings.own.find { case (key, value) =>
        key.toLowerCase(Locale.ROOT).startsWith(Options.ShapePrefix) &&
        !Seq("infer", "off").exists(_.equalsIgnoreCase(value.trim))
      }
      shape.foreach { case (key, _) => throw Errors.deltaShredding(root, key, DeltaTarget.ShreddingKey) }
      WriteJob(Map.empty)
    }
  }

  private def readsTable(target: DeltaTarget) = target.snapshot.exists(new DeltaReads(_, conf).of(source))

  // ---- the replaced files ----

  /**
   * The version of which an overwrite replaces the files. Law: it is not newer than what the query reads, so no
   * file is removed that the query has not seen. A micro-batch replaces the result of the batch before, whatever
   * version of the table its query joins.
   */
  private def seen(target: DeltaTarget): Option[DeltaSnapshot] = target.snapshot.map { newest =>
    if (!isOverwrite || streamed.isDefined) newest
    else (newest +: new DeltaReads(newest, conf).versions(query)).minBy(_.version)
  }

  private def replaced(target: DeltaTarget): Replaced =
    if (!isOverwrite) Replaced.Nothing
    else if (rewrite.isDefined) Replaced.Files(rewrite.get)
    else
      Options.get(options, Options.ReplaceWhere) match {
        case Some(_)
            if Options.get(options, "partitionOverwriteMode").exists(_.equalsIgnoreCase("dynamic")) =>
          throw Errors.deltaOption(
            root,
            Options.ReplaceWhere,
            "partitionOverwriteMode chooses partitions as well"
          )
        case Some(text) => Replaced.Where(condition(text, target))
        case None if insert.staticPartitions.nonEmpty && !isDynamic(target) =>
          Replaced.Where(condition(staticPartitions(target), target))
        case None if !isDynamic(target) => Replaced.Everything
        case None if isSet(Options.OverwriteSchema) =>
          throw Errors.deltaOption(
            root,
            Options.OverwriteSchema,
            "the partitions that are kept have the former columns"
          )
        case None => Replaced.SamePartitions
      }

  /** The condition of a V1 `INSERT OVERWRITE … PARTITION (…)`; writes to our own tables set `replaceWhere`. */
  private def staticPartitions(target: DeltaTarget): String =
    insert.staticPartitions.toSeq.map { case (name, value) =>
      val column = target.schema(nameIn(target.schema, name))
      val text = Literal(UTF8String.fromString(value), StringType).sql
      s"`${column.name.replace("`", "``")}` <=> CAST($text AS ${column.dataType.sql})"
    }.mkString(" AND ")

  private def isDynamic(target: DeltaTarget) =
    insert.staticPartitions.size < target.partitionColumns.size && isDynamicMode

  private def isDynamicMode = Options
    .get(options, "partitionOverwriteMode")
    .getOrElse(SQLConf.get.partitionOverwriteMode.toString)
    .equalsIgnoreCase(PartitionOverwriteMode.DYNAMIC.toString)

  private def condition(text: String, target: DeltaTarget): PartitionCondition = {
    if (isSet(Options.OverwriteSchema))
      throw Errors.deltaOption(
        root,
        Options.OverwriteSchema,
        "the partitions that are kept have the former columns"
      )
    val columns = StructType(target.partitionColumns.map(target.schema(_)))
    val session = SparkSession.active.sessionState
    def refuse(reason: String) = throw Errors.deltaCondition(root, text, reason)
    val resolved =
      try {
        val parsed =
          Filter(session.sqlParser.parseExpression(text), LocalRelation(DataTypeUtils.toAttributes(columns)))
        session.analyzer.executeAndCheck(parsed, new QueryPlanningTracker).expressions.head.transformUp {
          case replaced: RuntimeReplaceable => replaced.replacement
        }
      } catch { case e: AnalysisException => refuse(Errors.reason(e)) }
    if (
      !resolved.deterministic || resolved.exists(e =>
        e.isInstanceOf[Unevaluable] && !e.isInstanceOf[Attribute]
      )
    )
      refuse("it is not the same for all rows of a partition")
    new PartitionCondition(text, resolved, columns, SQLConf.get.sessionLocalTimeZone)
  }

  // ---- names ----

  private def same(a: String, b: String) = if (caseSensitive) a == b else a.equalsIgnoreCase(b)
  private def has(schema: StructType, name: String) = schema.fieldNames.exists(same(_, name))
  private def nameIn(schema: StructType, name: String) = schema.fieldNames.find(same(_, name)).getOrElse(name)
  private def isSame(a: Seq[String], b: Seq[String]) =
    a.size == b.size && a.zip(b).forall { case (x, y) => same(x, y) }
}
